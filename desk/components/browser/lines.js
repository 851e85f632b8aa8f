// The lines across the list: how far one has read, and where one may stop.

class Lines {
  constructor(list) {
    this.list = list;
    this.rule = null;
    this.readTo = {}; // the paper that the reader pointed at, by order
    this.apart = new Set(); // papers that tell nothing of how far one has read
    this.readLine = make("div", { role: "gridcell", class: "read-line" }, make("span", {}, SAYS.readTo));
    this.ruleLine = make("div", { role: "gridcell", class: "rule-line" }, make("span"));
  }

  draw() {
    this.drawRead();
    this.drawRule();
  }

  drawRead() {
    const { inOrder, shown, looked, rowOf } = this.list;
    const deepest = inOrder.findLast((row) => row.word !== "undecided" && !this.apart.has(row.paper.id));
    const place = Math.max(deepest?.place ?? 0, rowOf.get(this.readTo[looked.order])?.place ?? 0);
    const row = shown.findLast((one) => one.place <= place);
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
