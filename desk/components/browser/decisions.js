// What was decided: what the server knows, over it what is not saved yet, and the way back.

import { SAYS } from "./words.js";
/** @import { ReviewList } from "./list.js" */
/** @import { Label } from "./messages.js" */
/** @import { Row } from "./row.js" */

/** @typedef {{ paper: string, label: Label }} Undone A paper, and the label on it before it was decided. */

export class Decisions {
  /**
   * @param {ReviewList} list
   * @param {Undone[]} [undone]
   */
  constructor(list, undone = []) {
    this.list = list;
    /** @type {Map<string, Label>} */
    this.saved = new Map(); // labels by paper, as the server knows them
    this.undone = undone; // what `undo` goes back to, newest last
    this.counts = { all: 0, undecided: 0, yes: 0, maybe: 0, no: 0, drawn: 0 }; // how many papers each filter shows
  }

  /**
   * @param {Row} row
   * @param {Label} label
   */
  decide(row, label) {
    if (this.list.given.isLocked) {
      this.list.tell(SAYS.locked);
      return false;
    }
    if (this.list.outbox.isOrdering) {
      this.list.tell(SAYS.reranking);
      return false;
    }
    this.undone.push({ paper: row.paper.id, label: row.label });
    this.say(row, label, SAYS.decided);
    return true;
  }

  // Take the last decision back, and give its row.
  undo() {
    const last = this.undone.pop();
    const row = last && this.list.rowOf.get(last.paper);
    if (row) this.say(row, last.label, SAYS.undone);
    else this.list.tell(SAYS.nothingToUndo);
    return row;
  }

  /**
   * @param {Row} row
   * @param {Label} label
   * @param {(label: Label, n: number) => string} told
   */
  say(row, label, told) {
    const { isCut, given, lines, looked, ordering, outbox, seen } = this.list;
    const { order } = looked;
    row.showLabel(label);
    seen.addInView();
    const isFarDown = !isCut && label !== "undecided" && lines.skipped.isAbove(row);
    outbox.add({
      kind: "decided",
      paper: row.paper.id,
      label,
      order,
      ranking: given.ranking,
      reranking: ordering.number,
      alone: isCut || isFarDown,
    });
    if (!isCut && !isFarDown && label !== "undecided" && order === this.list.firstOrder) this.list.place.settle();
    this.list.drawStanding();
    const skipped = isFarDown ? lines.skipped.keep(row) : "";
    this.list.announce([told(label, this.counts.yes), skipped].filter(Boolean).join(". "));
  }

  /** @param {Iterable<[string, Label]>} labels */
  learn(labels) {
    for (const [paper, label] of labels) this.saved.set(paper, label);
  }

  /**
   * Show each label; what one decides oneself is shown already, so that what changes here is somebody else's.
   * @param {Map<string, Label>} unsaved
   * @param {boolean} [isFlashing]
   */
  show(unsaved, isFlashing = false) {
    for (const row of this.list.rows) {
      const label = unsaved.get(row.paper.id) ?? this.saved.get(row.paper.id) ?? "undecided";
      if (label === row.label) continue;
      row.showLabel(label);
      if (isFlashing) row.flash();
    }
  }

  draw() {
    const { rows, drawn, head, given } = this.list;
    head.undo.disabled = given.isLocked || !this.undone.length;
    this.counts = { all: rows.length, undecided: 0, yes: 0, maybe: 0, no: 0, drawn: drawn.size };
    for (const row of rows) this.counts[row.label] += 1;
    head.showCounts(this.counts);
    this.list.ordering.draw();
  }
}
