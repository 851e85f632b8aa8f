// Keys act on the current paper only while the focus is in the list. The focus therefore returns to the list after a
// click on a control above it and after a dialog closes.

import { targetOf } from "./elements.js";
/** @import { ReviewList } from "./list.js" */

/**
 * @param {ReviewList} list
 * @param {AbortSignal} signal
 */
export function bringFocusHome(list, signal) {
  const home = () => list.focus(list.current, { preventScroll: true });
  const { none, head, keysShown, bar } = list;
  /** @param {Event} event */
  const clicked = (event) => targetOf(event).closest("button:not(.find)") && !list.isCovered && home();
  for (const element of [head.element, none]) element.addEventListener("click", clicked);
  for (const { element } of [keysShown, bar.stop]) element.addEventListener("close", home);
  watchWindows(() => document.activeElement === document.body && home(), signal);
}

/**
 * Watch the dialogs that the page opens over the list, and call `onClosed` when all of them are closed. Streamlit's
 * dialog about a lost connection is closed immediately, because it would take the focus. Editors can keep deciding
 * papers without a connection, and the bar shows that the connection is lost.
 * @param {() => void} onClosed
 * @param {AbortSignal} signal
 */
function watchWindows(onClosed, signal) {
  let wasOpen = false;
  const observer = new MutationObserver(() => {
    const open = [...document.querySelectorAll("body > [data-testid=stDialog]")];
    const error = open.find((dialog) => dialog.querySelector("h2")?.textContent === "Connection error");
    error?.querySelector("button")?.click();
    if (wasOpen && !open.length) onClosed();
    wasOpen = open.length > 0;
  });
  observer.observe(document.body, { childList: true });
  signal.addEventListener("abort", () => observer.disconnect());
}
