// Entry point of the review list. Streamlit calls it each time the page is drawn. The list is rebuilt only if its data
// have changed.

import { begun } from "./calls.js";
import { ReviewList } from "./list.js";
/** @import { Component } from "./calls.js" */
/** @import { ListData, ListPaper } from "./messages.js" */

/**
 * Paper with its score. `share` is the score, scaled from 0 (lowest score in the list) to 1 (highest score).
 * @typedef {ListPaper & { score?: number, share: number }} ScoredPaper
 */
/** @typedef {Omit<ListData, "papers"> & { papers: ScoredPaper[] }} Given */
/** @typedef {{ list?: ReviewList, digest?: string }} Mounted */

/** @type {WeakMap<Node, Mounted>} */
const MOUNTED = new WeakMap();

/** @param {Component<Uint8Array<ArrayBuffer>>} component */
export default async function ({ data, parentElement: root }) {
  const mounted = MOUNTED.get(root) ?? {};
  MOUNTED.set(root, mounted);
  const end = begun(root, () => {
    mounted.list?.close();
    MOUNTED.delete(root);
  });
  const digest = data.slice(-8).join(); // checksum and size at the end of the gzip data
  if (mounted.digest !== digest) {
    mounted.digest = digest;
    const given = await unpacked(data);
    if (mounted.digest === digest) {
      const view = mounted.list?.view;
      mounted.list?.close();
      mounted.list = new ReviewList(root, given, view);
    }
  }
  return end;
}

/**
 * @param {Uint8Array<ArrayBuffer>} data
 * @returns {Promise<Given>}
 */
async function unpacked(data) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
  /** @type {ListData} */
  const given = await new Response(stream).json();
  const scores = Object.values(given.scores);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const papers = given.papers.map((paper, n) => {
    const score = given.scores[n + 1]; // papers added after the ranking have no score
    return { ...paper, score, share: high > low ? (score - low) / (high - low) : 1 };
  });
  return { ...given, papers };
}
