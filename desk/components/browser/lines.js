// The lines across the list: how far one has read, what above doesn't count as read, and where one may stop.

import { make } from "./elements.js";
import { Skipped } from "./skipped.js";
import { SAYS } from "./words.js";

export class Lines {
  constructor(list) {
    this.list = list;
    this.rule = null;
    this.saved = new Set(); // rows read, as the server knows them
    this.read = new Set(); // rows read by now
    this.place = 0; // down to which all are read, in the order looked at
    this.readLine = make("div", { role: "gridcell", class: "read-line" }, make("span", {}, SAYS.readTo));
    this.skipped = new Skipped(list, this);
    this.ruleLine = make("div", { role: "gridcell", class: "rule-line" }, make("span"));
  }

  draw() {
    this.drawRead();
    this.skipped.draw();
    this.drawRule();
  }

  learn({ rule, read }) {
    const { orders, firstOrder } = this.list;
    this.rule = rule;
    this.saved = new Set(read.flatMap(([first, last]) => orders[firstOrder].slice(first - 1, last)));
  }

  // What is not saved yet tells as it will when it is: who decides a paper of a list has read it down to there,
  // but for a paper that was drawn, found by a search or a filter, or stands below some that were never in view.
  readByNow() {
    const { drawn, outbox, orders, rowOf, given } = this.list;
    const read = new Set(this.saved);
    const depths = { presort: 0, received: 0 };
    const decided = new Map(outbox.ofKind("decided").map((entry) => [entry.paper, entry])); // the last word on each
    for (const { kind, paper, word, order, ranking, alone } of [...decided.values(), ...outbox.ofKind("read")]) {
      const row = rowOf.get(paper);
      if (!row || word === "undecided") continue;
      if (kind === "decided") read.add(row);
      if (order === "presort" && ranking !== given.ranking) continue; // of an older order, which the server knows
      if (!alone && (kind === "read" || !drawn.has(paper))) {
        depths[order] = Math.max(depths[order], orders[order].indexOf(row) + 1);
      }
    }
    for (const [order, depth] of Object.entries(depths)) {
      for (const row of orders[order].slice(0, depth)) read.add(row);
    }
    return read;
  }

  // Where reading goes on.
  get firstUnread() {
    return this.list.inOrder[this.place];
  }

  drawRead() {
    const { inOrder, isCut, shown } = this.list;
    this.read = this.readByNow();
    const next = inOrder.findIndex((row) => !this.read.has(row));
    this.place = next < 0 ? inOrder.length : next;
    for (const row of inOrder) row.element.classList.toggle("read-before", row.place > this.place && this.read.has(row));
    const row = !isCut && shown.findLast((one) => one.place <= this.place); // of some papers alone it would tell nothing
    if (!row) this.readLine.remove();
    else if (this.readLine.parentElement !== row.element) row.element.append(this.readLine);
  }

  drawRule() {
    const { rows, shown, looked, isCut } = this.list;
    const rule = looked.order === "presort" && !isCut ? this.rule : null; // as with how far one has read
    const below = rule?.place ?? Infinity;
    if (below !== this.below) {
      for (const row of rows) row.element.classList.toggle("below", row.place >= below);
    }
    this.below = below;
    this.ruleLine.firstChild.textContent = rule?.sentence ?? "";
    const row = shown.find((one) => one.place >= below);
    if (!row) this.ruleLine.remove();
    else if (this.ruleLine.parentElement !== row.element) row.element.prepend(this.ruleLine);
  }
}
