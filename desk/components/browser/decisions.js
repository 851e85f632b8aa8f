// Labels of the papers, from the decisions saved on the server and the newer unsaved decisions. Also undoes decisions.

import { SAYS } from "./words.js";
/** @import { ReviewList } from "./list.js" */
/** @import { Label } from "./messages.js" */
/** @import { Row } from "./row.js" */

/** @typedef {{ paper: string, label: Label }} Undone Paper and the label that it had before the decision. */

export class Decisions {
  /**
   * @param {ReviewList} list
   * @param {Undone[]} [undone]
   */
  constructor(list, undone = []) {
    this.list = list;
    /** @type {Map<string, Label>} */
    this.saved = new Map(); // labels by paper, according to the server
    this.undone = undone; // labels that `undo` restores, newest last
    this.counts = { all: 0, undecided: 0, yes: 0, maybe: 0, no: 0, drawn: 0 }; // number of papers per filter
  }

  /**
   * @param {Row} row
   * @param {Label} label
   */
  decide(row, label) {
    if (this.list.given.isLocked) {
      this.list.notify(SAYS.locked);
      return false;
    }
    if (this.list.outbox.isOrdering) {
      this.list.notify(SAYS.reranking);
      return false;
    }
    this.undone.push({ paper: row.paper.id, label: row.label });
    this.say(row, label, SAYS.decided);
    return true;
  }

  // Undo the last decision and return the row of its paper, or undefined if there is nothing to undo.
  undo() {
    const last = this.undone.pop();
    const row = last && this.list.rowOf.get(last.paper);
    if (row) this.say(row, last.label, SAYS.undone);
    else this.list.notify(SAYS.nothingToUndo);
    return row;
  }

  /**
   * @param {Row} row
   * @param {Label} label
   * @param {(label: Label, n: number) => string} phrase Text to announce.
   */
  say(row, label, phrase) {
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
    this.list.drawProgress();
    const skipped = isFarDown ? lines.skipped.keep(row) : "";
    this.list.announce([phrase(label, this.counts.yes), skipped].filter(Boolean).join(". "));
  }

  /** @param {Iterable<[string, Label]>} labels */
  learn(labels) {
    for (const [paper, label] of labels) this.saved.set(paper, label);
  }

  /**
   * Show all labels. The user's own decisions are already shown, so every changed label comes from another editor.
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
