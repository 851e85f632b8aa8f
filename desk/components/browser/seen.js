// Papers that the editor has seen. A paper is seen if it was in view for half a second or if it was the current paper.

/** @import { Row } from "./row.js" */

const A_MOMENT = 500; // milliseconds in view after which a paper is seen
const ENOUGH_OF_IT = 0.5; // visible share of a row that counts as in view

export class Seen {
  /**
   * @param {Row[]} rows
   * @param {Set<string>} [papers]
   */
  constructor(rows, papers = new Set()) {
    this.papers = papers; // ids of the papers; they survive a rebuild of the list
    /** @type {Map<Row, number>} */
    this.inView = new Map(); // timers of rows in view, by row
    /** @type {Map<Element, Row>} */
    this.rowOf = new Map(rows.map((row) => [row.element, row]));
    this.observer = new IntersectionObserver((entries) => entries.forEach((entry) => this.look(entry)), {
      threshold: ENOUGH_OF_IT,
    });
    for (const { element } of rows) this.observer.observe(element);
  }

  /** @param {IntersectionObserverEntry} entry */
  look({ target, intersectionRatio }) {
    const row = this.rowOf.get(target);
    if (!row) return;
    clearTimeout(this.inView.get(row));
    this.inView.delete(row);
    if (intersectionRatio >= ENOUGH_OF_IT) this.inView.set(row, setTimeout(() => this.add(row), A_MOMENT));
  }

  /** @param {Row} row */
  add(row) {
    this.papers.add(row.paper.id);
  }

  // Count all papers in view as seen, even if they were in view only for an instant. Called at each decision.
  addInView() {
    for (const row of this.inView.keys()) this.add(row);
  }

  /** @param {Row} row */
  has(row) {
    return this.papers.has(row.paper.id);
  }

  close() {
    this.observer.disconnect();
    for (const moment of this.inView.values()) clearTimeout(moment);
  }
}
