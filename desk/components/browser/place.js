// Returns to the editor's place after a search, a filter, another order, a spot check or a jump to a search hit.

import { KEY_NAMES, SAYS } from "./words.js";
import { make, setText } from "./elements.js";
/** @import { Look, ReviewList } from "./list.js" */
/** @import { Row } from "./row.js" */

/** @typedef {{ paper: string, look: Look }} KeptPlace Paper at which the editor was, and the look of the list. */

export class Place {
  /**
   * @param {ReviewList} list
   * @param {KeptPlace | null} [kept]
   */
  constructor(list, kept = null) {
    this.list = list;
    this.kept = kept; // null while the editor is at their place
    const [key] = list.given.keys.place;
    this.label = make("span", { class: "long" });
    this.short = make("span", { class: "short", "aria-hidden": true });
    this.button = make("button", { type: "button", class: "to-place" }, this.label, this.short, " ");
    this.button.append(make("kbd", {}, KEY_NAMES[key] ?? key));
    this.button.addEventListener("click", () => this.goBack());
  }

  /** @param {Look} look */
  isAway({ order, filter, query, tag }) {
    return order !== this.list.firstOrder || Boolean(query || tag) || !["all", "undecided"].includes(filter);
  }

  // Store the editor's place before the editor leaves it. A place that is already stored doesn't change.
  keep() {
    const row = this.list.current ?? this.list.last;
    if (!this.kept && row && !this.isAway(this.list.looked)) {
      this.kept = { paper: row.paper.id, look: this.list.looked };
    }
  }

  /**
   * Make the current paper the editor's place, because the editor continues reading here.
   */
  settle() {
    this.kept = null;
  }

  /**
   * Keep the stored place at the same position when the order of the list changes. A different paper may then be in it.
   * @param {Row[]} before
   * @param {Row[]} after
   */
  move(before, after) {
    const at = before.findIndex((row) => row.paper.id === this.kept?.paper);
    if (this.kept && at >= 0) this.kept.paper = after[at].paper.id;
  }

  // Row to which the editor returns: the stored place or, if there is none, the first unread paper.
  get row() {
    return this.list.rowOf.get(this.kept?.paper ?? "") ?? this.list.lines.firstUnread;
  }

  goBack() {
    const { list, row } = this;
    list.look(this.kept?.look ?? list.firstLook);
    this.kept = null;
    if (!row) return;
    if (row.element.hidden) list.showAll();
    list.focus(row, { preventScroll: true });
    row.element.scrollIntoView({ block: "center" });
    list.drawProgress();
    list.announce(SAYS.atPlace(row.place));
  }

  draw() {
    const { row } = this;
    const { current, looked, orders, firstOrder } = this.list;
    const isHere = !row || (row === current && !this.isAway(looked));
    if (isHere && this.kept && row === current) this.kept = null;
    const place = row ? orders[firstOrder].indexOf(row) + 1 : 0;
    setText(this.label, place ? SAYS.toPlace(place) : SAYS.toStart);
    setText(this.short, place ? SAYS.toPlaceShort(place) : "↩");
    this.button.title = this.label.textContent;
    this.button.disabled = !row; // enabled even at the place, because the editor may have scrolled away
  }
}
