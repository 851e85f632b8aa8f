// Sandboxed frame for an untrusted document. Streamlit's own frame can't be used, because it allows scripts to access
// the page.

import { make } from "./elements.js";
/** @import { Component } from "./calls.js" */

const LOADS_NOTHING =
  `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;
const LINKS_OPEN_BESIDE = '<base target="_blank">';
const RIGHTS = "allow-popups allow-popups-to-escape-sandbox"; // links open in a new window; nothing else is allowed

/** @param {Component<{ html: string, title: string }>} component */
export default function ({ data: { html, title }, parentElement: root }) {
  const frame = root.querySelector("iframe") ?? make("iframe", { sandbox: RIGHTS, referrerpolicy: "no-referrer" });
  frame.title = title;
  // The policy must come first because it applies only to the content that follows it. In srcdoc, it may precede the
  // doctype.
  const document = LOADS_NOTHING + LINKS_OPEN_BESIDE + html;
  if (frame.srcdoc !== document) frame.srcdoc = document;
  if (!frame.isConnected) root.append(frame);
}
