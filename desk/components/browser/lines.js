// Lines across the list, for the reading progress, unread papers above a decision, and the stop point.

import { entriesOf, make, setText } from "./elements.js";
import { Skipped } from "./skipped.js";
import { KEY_NAMES, SAYS } from "./words.js";
/** @import { ReviewList } from "./list.js" */
/** @import { ReviewResponse, Rule } from "./messages.js" */
/** @import { Row } from "./row.js" */

export class Lines {
  /** @param {ReviewList} list */
  constructor(list) {
    this.list = list;
    /** @type {Rule | null} */
    this.rule = null;
    this.below = Infinity; // first position below the stop point
    /** @type {Row[] | null} */
    this.ruled = null; // order of the rows when `below` was last applied
    /** @type {Set<Row>} */
    this.saved = new Set(); // rows that are read according to the server
    /** @type {Set<Row>} */
    this.read = new Set(); // rows that are read according to the server or to unsaved decisions
    this.place = 0; // all papers down to this position in the current order are read
    this.readText = make("span", { title: SAYS.readMeans });
    this.markText = make("span");
    const [key] = list.given.keys.read;
    const keyShown = make("kbd", {}, KEY_NAMES[key] ?? key);
    this.mark = make("button", { type: "button", tabindex: -1 }, this.markText, " ", keyShown);
    // Without this, the focus would make the row of this line the current row.
    this.mark.addEventListener("mousedown", (event) => event.preventDefault());
    this.mark.addEventListener("click", () => list.actions.read());
    this.readLine = make("div", { role: "gridcell", class: "read-line" }, this.readText, this.mark);
    this.skipped = new Skipped(list, this);
    this.ruleText = make("span");
    this.ruleLine = make("div", { role: "gridcell", class: "rule-line" }, this.ruleText);
  }

  draw() {
    this.drawRead();
    this.skipped.draw();
    this.drawRule();
  }

  /** @param {ReviewResponse} response */
  learn({ rule, read }) {
    const { orders, firstOrder } = this.list;
    this.rule = rule;
    /** @type {Set<Row>} */
    this.saved = new Set(read.flatMap(([first, last]) => orders[firstOrder].slice(first - 1, last)));
  }

  // Return the rows of read papers, including papers with unsaved decisions. Follows the server's rule: after a
  // decision, all papers above count as read, unless the paper was drawn for a spot check, was found by a search or
  // filter, or is below papers that were never in view.
  readByNow() {
    const { drawn, ordering, outbox, orders, rowOf, given } = this.list;
    const read = new Set(this.saved);
    const depths = { presort: 0, list: 0 };
    const decided = new Map(outbox.ofKind("decided").map((entry) => [entry.paper, entry])); // newest per paper
    for (const entry of [...decided.values(), ...outbox.ofKind("read")]) {
      const { kind, paper, order, ranking, reranking } = entry;
      const row = rowOf.get(paper);
      if (!row || (kind === "decided" && entry.label === "undecided")) continue;
      if (kind === "decided") read.add(row);
      const isOfOther = ranking !== given.ranking || reranking !== ordering.number;
      if (order === "presort" && isOfOther) continue; // the entry refers to an older order, which only the server knows
      if (kind === "read" || (!entry.alone && !drawn.has(paper))) {
        depths[order] = Math.max(depths[order], orders[order].indexOf(row) + 1);
      }
    }
    for (const [order, depth] of entriesOf(depths)) {
      for (const row of orders[order].slice(0, depth)) read.add(row);
    }
    return read;
  }

  // Row of the first unread paper, from which reading continues.
  get firstUnread() {
    return this.list.inOrder[this.place];
  }

  drawRead() {
    const { inOrder, isCut, shown } = this.list;
    this.read = this.readByNow();
    const next = inOrder.findIndex((row) => !this.read.has(row));
    this.place = next < 0 ? inOrder.length : next;
    for (const row of inOrder) {
      row.element.classList.toggle("read-before", row.place > this.place && this.read.has(row));
    }
    const nUndecided = inOrder.slice(0, this.place).filter((row) => row.label === "undecided").length;
    setText(this.readText, SAYS.readUpTo(this.place, nUndecided, this.read.size - this.place));
    this.drawMark();
    const row = !isCut && shown.findLast((one) => one.place <= this.place); // not shown in a filtered list
    if (!row) this.readLine.remove();
    else if (this.readLine.parentElement !== row.element) row.element.append(this.readLine);
  }

  // Offer to mark the papers down to the current one as read. Hidden without moving anything, because it appears at a
  // key press.
  drawMark() {
    const { current, given } = this.list;
    const isOffered = !given.isLocked && current !== undefined && current.place > this.place;
    this.mark.classList.toggle("blank", !isOffered);
    if (isOffered) setText(this.markText, SAYS.markRead(current.place));
  }

  drawRule() {
    const { rows, inOrder, shown, looked, isCut } = this.list;
    const rule = looked.order === "presort" && !isCut ? this.rule : null; // not shown in a filtered list
    const below = rule?.place ?? Infinity;
    if (below !== this.below || inOrder !== this.ruled) { // re-ranking changes the positions
      for (const row of rows) row.element.classList.toggle("below", row.place >= below);
    }
    this.below = below;
    this.ruled = inOrder;
    this.ruleText.textContent = rule?.sentence ?? "";
    const row = shown.find((one) => one.place >= below);
    if (!row) this.ruleLine.remove();
    else if (this.ruleLine.parentElement !== row.element) row.element.prepend(this.ruleLine);
  }
}
