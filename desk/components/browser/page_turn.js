// Standard behaviour of pages that Streamlit lacks:
// - A new page begins at its top. Streamlit keeps the scroll position of the previous page.
// - An open menu on a narrow screen closes. Streamlit does so only for browsers that identify as mobile.
// - A page is one entry in the browser's history. Streamlit adds an entry each time that a choice is written into the
//   address, nine of them when Compare opens, so "Back" would seem to do nothing.
// - Screen readers read the menu as links. Streamlit makes it a list with headings, which a list must not contain.

/** @import { Component } from "./calls.js" */

const NARROW = matchMedia("(max-width: 768px)");
let shown = addressOf(performance.getEntriesByType("navigation")[0].name); // in this window

const menuOpens = new MutationObserver(unlist); // a narrow screen's menu comes and goes, as headings fold its links away
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
 * A reader may leave the first page before this is loaded.
 * @param {string} url
 */
function addressOf(url) {
  return new URL(url).pathname.split("/").at(-1);
}

function lookAfterMenu() {
  unlist();
  if (NARROW.matches) menuOpens.observe(document.body, { childList: true, subtree: true });
  else menuOpens.disconnect(); // a wide screen has another menu
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
