// Standard page behaviour that Streamlit lacks:
// - A new page opens at the top. Streamlit keeps the scroll position of the previous page.
// - On a narrow screen, the menu closes when a page opens. Streamlit closes it only in mobile browsers.
// - A page has only one entry in the browser history. Streamlit adds an entry each time it writes a selection to the
//   address: nine entries when *Compare* opens, so "Back" would seem to do nothing.
// - Screen readers read the menu as links. Streamlit renders it as a list that contains headings, which is invalid.

/** @import { Component } from "./calls.js" */

const NARROW = matchMedia("(max-width: 768px)");
let shown = addressOf(performance.getEntriesByType("navigation")[0].name); // the last page shown in this window

const menuOpens = new MutationObserver(unlist); // on a narrow screen, the menu is rebuilt often
NARROW.addEventListener("change", lookAfterMenu);
lookAfterMenu();

/** @param {Component<string>} component */
export default function ({ data: address }) {
  keepOneStep();
  if (shown !== address) {
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    if (NARROW.matches) closeMenu();
  }
  shown = address;
}

/**
 * Return the last part of the path of an address.
 * @param {string} url
 */
function addressOf(url) {
  return new URL(url).pathname.split("/").at(-1);
}

function lookAfterMenu() {
  unlist();
  if (NARROW.matches) menuOpens.observe(document.body, { childList: true, subtree: true });
  else menuOpens.disconnect(); // on a wide screen, the menu is static
}

function unlist() {
  const parts = document.querySelectorAll("[data-testid=stSidebarNav] :is(ul, li):not([role])");
  for (const part of parts) part.setAttribute("role", "none");
}

function closeMenu() {
  const button = document.querySelector("[data-testid=stSidebarCollapseButton] button");
  if (button instanceof HTMLElement) button.click();
}

function keepOneStep() {
  const push = /** @type {History["pushState"] & { isOneStep?: boolean }} */ (history.pushState);
  if (push.isOneStep) return;
  /** @type {typeof push} */
  const pushOnce = function (state, title, url) {
    const isHere = url != null && new URL(url, location.href).pathname === location.pathname;
    return isHere ? history.replaceState(state, title, url) : push.call(history, state, title, url);
  };
  pushOnce.isOneStep = true;
  history.pushState = pushOnce;
}
