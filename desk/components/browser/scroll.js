// Scrolls to a heading.

/** @import { Component } from "./calls.js" */

/** @param {Component<{ anchor: string }>} component */
export default function ({ data }) {
  document.getElementById(data.anchor)?.scrollIntoView();
}
