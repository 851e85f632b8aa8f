// The lines across the list: how far one has read, and where one may stop.

class Lines {
  constructor(list, decidedIn = new Map()) {
    this.list = list;
    this.rule = null;
    this.place = 0; // that one has read to, in the order looked at
    this.readTo = {}; // the paper that the reader pointed at, by order
    this.apart = new Set(); // papers whose decision, as the server knows it, tells nothing of how far one has read
    this.decidedIn = decidedIn; // by paper, the order in which it was decided here, as far as the server doesn't tell
    for (const entry of list.outbox.ofKind("decided")) decidedIn.set(entry.paper, entry.order);
    this.readLine = make("div", { role: "gridcell", class: "read-line" }, make("span", {}, SAYS.readTo));
    this.ruleLine = make("div", { role: "gridcell", class: "rule-line" }, make("span"));
  }

  draw() {
    this.drawRead();
    this.drawRule();
  }

  learn({ rule, readTo, apart }) {
    this.rule = rule;
    this.readTo = { ...readTo, ...this.list.outbox.readTo() };
    this.apart = new Set(apart);
    const unsaved = this.list.outbox.words();
    for (const [paper, order] of this.decidedIn) {
      if (order === this.list.firstOrder && !unsaved.has(paper)) this.decidedIn.delete(paper);
    }
  }

  // Whether a decision tells that one has read to its paper: only in the order in which it was made, and never of a
  // paper drawn at random.
  isRead({ word, paper: { id } }) {
    const { drawn, firstOrder, looked } = this.list;
    if (word === "undecided" || drawn.has(id)) return false;
    const known = this.apart.has(id) ? null : firstOrder;
    return (this.decidedIn.get(id) ?? known) === looked.order;
  }

  drawRead() {
    const { inOrder, shown, looked, rowOf } = this.list;
    const deepest = inOrder.findLast((row) => this.isRead(row));
    this.place = Math.max(deepest?.place ?? 0, rowOf.get(this.readTo[looked.order])?.place ?? 0);
    const row = shown.findLast((one) => one.place <= this.place);
    if (!row) this.readLine.remove();
    else if (this.readLine.parentElement !== row.element) row.element.append(this.readLine);
  }

  drawRule() {
    const { rows, shown, looked } = this.list;
    const rule = looked.order === "presort" ? this.rule : null;
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
