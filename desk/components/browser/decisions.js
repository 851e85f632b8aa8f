// What was decided: what the server knows, over it what is not saved yet, and the way back.

import { SAYS } from "./words.js";

export class Decisions {
  constructor(list, undone = []) {
    this.list = list;
    this.saved = new Map(); // words by paper, as the server knows them
    this.undone = undone; // what `undo` goes back to, newest last
    this.counts = {}; // how many papers each filter shows
  }

  decide(row, word) {
    if (this.list.given.isLocked) {
      this.list.tell(SAYS.locked);
      return false;
    }
    this.undone.push({ paper: row.paper.id, word: row.word });
    this.say(row, word, SAYS.decided);
    return true;
  }

  // Take the last decision back, and give its row.
  undo() {
    const last = this.undone.pop();
    const row = this.list.rowOf.get(last?.paper);
    if (row) this.say(row, last.word, SAYS.undone);
    else this.list.tell(SAYS.nothingToUndo);
    return row;
  }

  say(row, word, told) {
    const { isCut, given, lines, looked, outbox, seen } = this.list;
    const { order } = looked;
    row.showWord(word);
    seen.addInView();
    const isFarDown = !isCut && word !== "undecided" && lines.skipped.isAbove(row);
    outbox.add({ kind: "decided", paper: row.paper.id, word, order, ranking: given.ranking, alone: isCut || isFarDown });
    this.list.drawStanding();
    const skipped = isFarDown ? lines.skipped.keep(row) : "";
    this.list.announce([told(word, this.counts.yes), skipped].filter(Boolean).join(". "));
  }

  learn(words) {
    for (const [paper, word] of words) this.saved.set(paper, word);
  }

  // Show each word; what one decides oneself is shown already, so that what changes here is somebody else's.
  show(unsaved, { isFlashing = false } = {}) {
    for (const row of this.list.rows) {
      const word = unsaved.get(row.paper.id) ?? this.saved.get(row.paper.id) ?? "undecided";
      if (word === row.word) continue;
      row.showWord(word);
      if (isFlashing) row.flash();
    }
  }

  draw() {
    const { rows, drawn, head, given } = this.list;
    head.undo.disabled = given.isLocked || !this.undone.length;
    this.counts = { all: rows.length, undecided: 0, yes: 0, maybe: 0, no: 0, drawn: drawn.size };
    for (const row of rows) this.counts[row.word] += 1;
    head.showCounts(this.counts);
  }
}
