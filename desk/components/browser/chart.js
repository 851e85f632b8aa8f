// Small chart of the scores in the presorted list, with the reading progress and the stop point.

import { make } from "./elements.js";
import { SAYS } from "./words.js";
/** @import { ScoredPaper } from "./mount.js" */

const LOWEST = 0.04; // minimum height as a share of the chart, so that the lowest score stays visible

export class Chart {
  /** @param {ScoredPaper[]} papers */
  constructor(papers) {
    this.n = papers.length;
    const all = draw("path", { class: "unread", d: outline(papers) });
    this.read = draw("path", { class: "read", d: outline(papers) });
    this.stop = draw("line", { class: "stop-at", y1: 0, y2: 1, "vector-effect": "non-scaling-stroke" });
    this.picture = draw("svg", { viewBox: `0 0 ${this.n} 1`, preserveAspectRatio: "none", role: "img" });
    this.picture.append(all, this.read, this.stop);
    this.element = make("div", { class: "chart" }, this.picture, make("span", { "aria-hidden": true }, SAYS.chart));
  }

  /**
   * @param {number} readTo
   * @param {number} stopAt
   */
  show(readTo, stopAt) {
    this.read.style.setProperty("--read", String(readTo / this.n));
    const isAhead = stopAt < this.n;
    this.stop.style.display = isAhead ? "" : "none";
    if (isAhead) { for (const end of ["x1", "x2"]) this.stop.setAttribute(end, String(stopAt)); }
    this.picture.setAttribute("aria-label", SAYS.chartTells(readTo, this.n, isAhead ? stopAt : null));
  }
}

/** @param {ScoredPaper[]} papers */
function outline(papers) {
  const heights = papers.map(({ share }) => LOWEST + (1 - LOWEST) * (share || 0)); // papers added later have no score
  return `M0,1${heights.map((height, n) => `V${(1 - height).toFixed(3)}H${n + 1}`).join("")}V1Z`;
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} attributes
 * @returns {SVGElementTagNameMap[Tag]}
 */
function draw(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
