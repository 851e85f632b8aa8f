// What the keys do, by their names in `ACTIONS`.

import { isSign } from "./keys.js";
import { SAYS } from "./words.js";
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
   * Decide the current paper and go on to the next, or take back what one said of it.
   * @param {Label} label
   */
  decide(label) {
    const { current, decisions } = this.list;
    if (!current) return;
    const isTakenBack = current.label === label;
    if (decisions.decide(current, isTakenBack ? "undecided" : label) && !isTakenBack) this.list.step(1);
  }

  undo() {
    const row = this.list.decisions.undo();
    if (row?.element.hidden) this.list.showAll();
    this.list.focus(row);
  }

  open() {
    if (this.list.current) this.list.toggle(this.list.current);
  }

  /** @param {Row | undefined} [row] */
  read(row = this.list.current) {
    const { given, looked, outbox } = this.list;
    if (given.isLocked || !row) return;
    outbox.add({ kind: "read", paper: row.paper.id, order: looked.order, ranking: given.ranking });
    this.list.drawStanding();
    this.list.announce(SAYS.readTo);
  }

  search() {
    this.list.head.search.focus();
    this.list.head.search.select();
  }

  /** @param {Element} from */
  back(from) {
    const { current, head, looked } = this.list;
    if (from === head.search && looked.query) this.list.look({ query: "" });
    else if (!current) this.list.showAll();
    else if (isSign(from) && current.isOpen) this.list.toggle(current);
    this.list.focus(this.list.current);
  }

  nextHit() {
    this.list.stepToHit(1);
  }

  previousHit() {
    this.list.stepToHit(-1);
  }

  // Hide what was decided, or show all again.
  undecided() {
    this.list.look({ filter: this.list.looked.filter === "undecided" ? "all" : "undecided" });
    this.list.focus(this.list.current);
  }

  check() {
    this.list.spotCheck.act();
  }

  help() {
    this.list.keysShown.show();
  }
}
