// Message about unread papers above a decision. After a decision far down the list, papers above it that were never in
// view don't count as read. The message is shown below the decided paper until all papers above it count as read.

import { make, setText } from "./elements.js";
import { KEY_NAMES, SAYS } from "./words.js";
/** @import { Lines } from "./lines.js" */
/** @import { ReviewList } from "./list.js" */
/** @import { Row } from "./row.js" */

export class Skipped {
  /**
   * @param {ReviewList} list
   * @param {Lines} lines
   */
  constructor(list, lines) {
    this.list = list;
    this.lines = lines;
    /** @type {Row | null} */
    this.row = null; // row that shows the message
    this.says = "";
    const [key] = list.given.keys.read;
    this.text = make("span");
    this.key = KEY_NAMES[key] ?? key;
    const count = make("button", { type: "button" }, SAYS.countSkipped, " ", make("kbd", {}, this.key));
    count.addEventListener("click", () => this.count());
    this.element = make("div", { role: "gridcell", class: "skipped-line" }, this.text, count);
  }

  /**
   * Return true if any paper above a row is undecided, unread and was never in view.
   * @param {Row} row
   */
  isAbove(row) {
    const { inOrder, seen } = this.list;
    const above = inOrder.slice(0, row.place - 1);
    return above.some((one) => one.label === "undecided" && !this.lines.read.has(one) && !seen.has(one));
  }

  /**
   * Show the message below a row and return the text to announce, which is empty if the message was already shown.
   * @param {Row} row
   */
  keep(row) {
    if (this.row) return "";
    this.row = row;
    this.draw();
    this.element.scrollIntoView({ block: "nearest" });
    return `${this.says}; ${SAYS.countsSkipped(this.key)}`;
  }

  count() {
    if (this.row) this.list.actions.read(this.row);
    this.list.focus(this.list.current, { preventScroll: true });
  }

  draw() {
    const { current, inOrder, isCut, shown } = this.list;
    const { row } = this;
    const above = row && row.label !== "undecided" ? inOrder.slice(0, row.place - 1) : [];
    const n = above.filter((one) => !this.lines.read.has(one)).length;
    if (!n) this.row = null;
    this.says = n ? SAYS.skipped(n) : "";
    setText(this.text, this.says);
    if (!row || !n || isCut || !shown.includes(row)) this.element.remove();
    else if (this.element.parentElement !== row.element) {
      row.element.append(this.element);
      row.setCurrent(row === current); // makes the new button reachable by Tab if the row is current
    }
  }
}
