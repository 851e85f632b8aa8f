// Reports to a page whether a list has unsaved entries, at the start and after each change.

import { begun } from "./calls.js";
import { holdsUnsaved } from "./outbox.js";
/** @import { Component } from "./calls.js" */

const LOOK_AGAIN = 500; // milliseconds between checks
/** @type {WeakMap<Node, number>} */
const LOOKING = new WeakMap();

/** @param {Component<{ list: string, reported: boolean }>} component */
export default function ({ data, parentElement: root, setStateValue }) {
  let { reported } = data;
  const look = () => {
    const holds = holdsUnsaved(data.list);
    if (holds !== reported) setStateValue("holds", reported = holds);
  };
  clearInterval(LOOKING.get(root));
  LOOKING.set(root, setInterval(look, LOOK_AGAIN));
  look();
  return begun(root, () => clearInterval(LOOKING.get(root)));
}
