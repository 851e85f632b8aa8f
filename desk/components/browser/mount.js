// Streamlit calls this when the page is drawn, and again whenever it is drawn anew.

import { begun } from "./calls.js";
import { ReviewList } from "./list.js";

const MOUNTED = new WeakMap();

export default async function ({ data, parentElement: root }) {
  const mounted = MOUNTED.get(root) ?? {};
  MOUNTED.set(root, mounted);
  const end = begun(root, () => {
    mounted.list?.close();
    MOUNTED.delete(root);
  });
  const digest = data.slice(-8).join(); // gzip ends with a checksum and the size
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

async function unpacked(data) {
  const given = await new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  const scores = Object.values(given.scores);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  given.papers.forEach((paper, n) => {
    paper.score = given.scores[n + 1];
    paper.share = high > low ? (paper.score - low) / (high - low) : 1;
  });
  return given;
}
