// Sandboxed frame for an untrusted document. Streamlit's own frame runs scripts with all rights of the page.

import { make } from "./elements.js";
/** @import { Component } from "./calls.js" */

const LOADS_NOTHING =
  `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;
const LINKS_OPEN_BESIDE = '<base target="_blank">';
const RIGHTS = "allow-popups allow-popups-to-escape-sandbox"; // so that a link can be followed, and nothing else

/** @param {Component<{ html: string, title: string }>} component */
export default function ({ data: { html, title }, parentElement: root }) {
  const frame = root.querySelector("iframe") ?? make("iframe", { sandbox: RIGHTS, referrerpolicy: "no-referrer" });
  frame.title = title;
  // Before all else, as a policy holds for what follows it; only a frame of this kind may have that before its type.
  const document = LOADS_NOTHING + LINKS_OPEN_BESIDE + html;
  if (frame.srcdoc !== document) frame.srcdoc = document;
  if (!frame.isConnected) root.append(frame);
}
