// Keys act on the current paper while the focus is in the list. So it comes home from what was clicked above the list,
// and once what lay over the list has closed, be it a window of ours or one of the page.

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
  for (const beside of [head.element, none]) beside.addEventListener("click", clicked);
  for (const { element } of [keysShown, bar.stop]) element.addEventListener("close", home);
  watchWindows(() => document.activeElement === document.body && home(), signal);
}

/**
 * Watch the windows that the page opens over the list, and tell when all of them have closed. Streamlit tells of a
 * lost connection in such a window, which takes the focus. The head of the list says it too, and one goes on deciding
 * meanwhile: so that window is closed.
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
