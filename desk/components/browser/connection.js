// Redraws the page when the server is available again, because a restarted server ignores messages from components on a
// page that it hasn't drawn. Streamlit itself redraws the page only if a request was running when the server stopped.

import { begun } from "./calls.js";
/** @import { Component } from "./calls.js" */

/** @typedef {{ redraw: () => void, observer: MutationObserver }} Watched */

/** @type {WeakMap<Node, Watched>} */
const WATCHED = new WeakMap();

/** @param {Component<null>} component */
export default function ({ parentElement: root, setTriggerValue }) {
  const redraw = () => setTriggerValue("back", Date.now());
  const known = WATCHED.get(root);
  if (known) known.redraw = redraw;
  else WATCHED.set(root, watch(redraw));
  return begun(root, () => {
    WATCHED.get(root)?.observer.disconnect();
    WATCHED.delete(root);
  });
}

/**
 * @param {() => void} redraw
 * @returns {Watched}
 */
function watch(redraw) {
  const app = document.querySelector("[data-testid=stApp]");
  const isThere = () => app?.getAttribute("data-test-connection-state") === "CONNECTED";
  let wasThere = isThere();
  const observer = new MutationObserver(() => {
    if (isThere() && !wasThere) watched.redraw();
    wasThere = isThere();
  });
  const watched = { redraw, observer };
  if (app) observer.observe(app, { attributeFilter: ["data-test-connection-state"] });
  return watched;
}
