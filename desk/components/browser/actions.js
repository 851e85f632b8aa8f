// Keyboard actions. Each method has the same name as its entry in `ACTIONS`.

import { isSign } from "./keys.js";
import { SAYS } from "./words.js";
/** @import { Details } from "./details.js" */
/** @import { ReviewList } from "./list.js" */
/** @import { Label } from "./messages.js" */
/** @import { Row } from "./row.js" */

export class Actions {
  /** @param {ReviewList} list */
  constructor(list) {
    this.list = list;
  }

  down() {
    this.list.step(1);
  }

  up() {
    this.list.step(-1);
  }

  relevant() {
    this.decide("yes");
  }

  maybe() {
    this.decide("maybe");
  }

  no() {
    this.decide("no");
  }

  /**
   * Decide the current paper and go to the next paper. The key for the current label resets the paper to undecided.
   * @param {Label} label
   */
  decide(label) {
    const { current, decisions } = this.list;
    if (!current) return;
    const isTakenBack = current.label === label;
    if (decisions.decide(current, isTakenBack ? "undecided" : label) && !isTakenBack) this.list.step(1);
  }

  undo() {
    this.list.place.keep();
    const row = this.list.decisions.undo();
    if (row?.element.hidden) this.list.showAll();
    this.list.focus(row);
  }

  open() {
    if (this.list.current) this.list.toggle(this.list.current);
  }

  /** @param {Row | undefined} [row] */
  read(row = this.list.current) {
    const { given, looked, ordering, outbox } = this.list;
    if (given.isLocked || !row || outbox.isOrdering) return;
    const { order } = looked;
    outbox.add({ kind: "read", paper: row.paper.id, order, ranking: given.ranking, reranking: ordering.number });
    this.list.drawProgress();
    this.list.announce(SAYS.readTo);
  }

  search() {
    this.list.head.search.focus();
    this.list.head.search.select();
    this.list.head.search.scrollIntoView({ block: "nearest" });
  }

  /**
   * Return to the list. Each press undoes one thing: it leaves the field, closes the open paper, clears the search, and
   * then removes its highlights.
   * @param {Element} from
   */
  back(from) {
    const { current, head, looked, sought } = this.list;
    if (from === head.search && looked.query) this.list.look({ query: "" });
    else if (!current) this.list.showAll();
    else if (isSign(from) && current.isOpen) this.list.toggle(current);
    else if (isSign(from) && looked.query) this.list.look({ query: "" });
    else if (isSign(from) && sought) this.list.seek("");
    this.list.focus(this.list.current);
  }

  nextHit() {
    this.list.stepToHit(1);
  }

  previousHit() {
    this.list.stepToHit(-1);
  }

  // Hide decided papers, or show all papers.
  undecided() {
    this.list.look({ filter: this.list.looked.filter === "undecided" ? "all" : "undecided" });
    this.list.focus(this.list.current);
  }

  rerank() {
    this.list.ordering.rerank();
  }

  place() {
    this.list.place.goBack();
  }

  abstracts() {
    this.list.showAbstracts(!this.list.hasAbstracts);
  }

  tag() {
    this.write((details) => details.newTag);
  }

  note() {
    this.write((details) => details.note);
  }

  /**
   * Open the current paper and focus one of its fields.
   * @param {(details: Details) => HTMLElement | null} field
   */
  write(field) {
    const { current } = this.list;
    if (!current) return;
    if (!current.isOpen) this.list.toggle(current);
    const element = current.details && field(current.details);
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
  }

  check() {
    this.list.spotCheck.act();
  }

  help() {
    this.list.keysShown.show();
  }
}
