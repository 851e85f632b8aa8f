// Reorderable list of the papers in a report issue. The editor moves papers by mouse, touch, keys or buttons. Each move
// is shown immediately and sent to the server. Each response from the server contains the saved order.

import { begun } from "./calls.js";
import { childrenOf, focusedBeside, make, targetOf } from "./elements.js";
/** @import { Component } from "./calls.js" */
/** @import { OrderListData, OrderedPaper } from "./messages.js" */

const PATIENCE = 4000; // milliseconds without a response after which a move is sent again
const THRESHOLD = 4; // pixels; a shorter movement is a click
const TICK = 100; // milliseconds between scroll steps while a drag is held at the edge

// All strings shown by the list.
const SAYS = {
  list: "Papers in publication order",
  hint: "Drag papers to reorder them, or press Alt+↑ and Alt+↓. ↑ and ↓ select a paper.",
  move: (/** @type {string} */ title) => `Move: ${title}`,
  up: (/** @type {string} */ title) => `Up: ${title}`,
  down: (/** @type {string} */ title) => `Down: ${title}`,
  top: (/** @type {string} */ title) => `To the top: ${title}`,
  moved: (/** @type {string} */ title, /** @type {number} */ place, /** @type {number} */ n) =>
    `${place} of ${n}: ${title}`,
  first: "The paper is already first.",
  last: "The paper is already last.",
  noAuthor: "no author given",
  saved: "saved",
  saving: "saving…",
  again: "not saved yet, retrying…",
};

/** @typedef {{ row: HTMLElement, before: number[], start: number, y: number, ticking?: number }} Drag */

/** @type {WeakMap<Node, OrderList>} */
const MOUNTED = new WeakMap();

/** @param {Component<OrderListData>} component */
export default function ({ data, parentElement: root, setTriggerValue }) {
  const list = MOUNTED.get(root) ?? new OrderList(root);
  MOUNTED.set(root, list);
  list.deliver = (message) => setTriggerValue("moved", message);
  list.take(data);
  return begun(root, () => {
    list.close();
    MOUNTED.delete(root);
  });
}

class OrderList {
  /** @param {HTMLElement | ShadowRoot} root */
  constructor(root) {
    this.number = Math.floor(Math.random() * 2 ** 52); // random, to differ from the numbers used by earlier pages
    /** @type {number | null} */
    this.awaited = null;
    this.given = ""; // the papers of the last response
    /** @type {Drag | null} */
    this.drag = null;
    /** @type {HTMLElement | undefined} */
    this.current = undefined;
    /** @type {(message: { number: number, order: number[] }) => void} */
    this.deliver = () => {};
    this.stop = new AbortController();
    this.list = make("ol", { role: "list", "aria-label": SAYS.list });
    this.status = make("span", { class: "status" }, SAYS.saved);
    this.live = make("div", { class: "unseen", role: "status" });
    const hint = make("span", { id: "hint" }, SAYS.hint);
    this.element = make("div", { class: "order" }, make("p", {}, hint, " ", this.status), this.list, this.live);
    root.append(this.element);
    this.listen();
  }

  listen() {
    const { signal } = this.stop;
    this.list.addEventListener("keydown", (event) => this.press(event));
    this.list.addEventListener("click", (event) => this.click(event));
    this.list.addEventListener("focusin", (event) => this.setCurrent(rowOf(targetOf(event))));
    this.list.addEventListener("pointerdown", (event) => this.startDrag(event));
    window.addEventListener("pointermove", (event) => this.dragTo(event), { signal });
    window.addEventListener("pointerup", () => this.endDrag(), { signal });
    window.addEventListener("pointercancel", () => this.cancelDrag(), { signal });
    window.addEventListener("beforeunload", (event) => this.awaited !== null && event.preventDefault(), { signal });
  }

  close() {
    clearTimeout(this.patience);
    clearInterval(this.drag?.ticking);
    this.stop.abort();
    this.element.remove();
  }

  // ---- responses from the server

  /** @param {OrderListData} data */
  take({ papers, answered }) {
    if (this.awaited !== null && answered !== this.awaited) return; // this is the response to an older move
    this.awaited = null;
    clearTimeout(this.patience);
    this.status.textContent = SAYS.saved;
    const given = JSON.stringify(papers);
    if (this.drag || (given === this.given && isSame(papers, this.order))) return;
    this.given = given;
    const isInFocus = this.list.contains(focusedBeside(this.list));
    this.list.replaceChildren(...papers.map(rowFor));
    this.setCurrent(this.rows.find((row) => row.dataset.position === this.current?.dataset.position) ?? this.rows[0]);
    this.showPlaces();
    if (isInFocus) this.handleOf(this.current)?.focus({ preventScroll: true });
  }

  send() {
    this.awaited = ++this.number;
    this.status.textContent = SAYS.saving;
    this.deliverAgain(this.awaited);
  }

  /** @param {number} number */
  deliverAgain(number) {
    this.deliver({ number, order: this.order });
    clearTimeout(this.patience);
    this.patience = setTimeout(() => {
      this.status.textContent = SAYS.again;
      this.deliverAgain(number);
    }, PATIENCE);
  }

  // ---- rows

  get rows() {
    return childrenOf(this.list);
  }

  get order() {
    return this.rows.map((row) => Number(row.dataset.position));
  }

  /**
   * @param {Element | null | undefined} row
   * @returns {HTMLElement | null | undefined}
   */
  handleOf(row) {
    return row && partOf(row, ".handle");
  }

  /**
   * Make a row current. Tab reaches only its buttons.
   * @param {HTMLElement | null | undefined} row
   */
  setCurrent(row) {
    if (!row) return;
    this.current = row;
    for (const one of this.rows) {
      for (const button of one.querySelectorAll("button")) button.tabIndex = one === row ? 0 : -1;
    }
  }

  showPlaces() {
    this.rows.forEach((row, n) => {
      partOf(row, ".number").textContent = String(n + 1);
    });
  }

  /** @param {HTMLElement} row */
  announce(row) {
    const place = this.rows.indexOf(row) + 1;
    this.live.textContent = SAYS.moved(partOf(row, ".title").textContent, place, this.rows.length);
  }

  /**
   * Move a row to a 0-based position. In fact, the other rows are moved around it, because a moved element would lose
   * the focus and the pointer.
   * @param {HTMLElement} row
   * @param {number} place
   */
  put(row, place) {
    while (row.previousElementSibling && this.rows.indexOf(row) > place) row.after(row.previousElementSibling);
    while (row.nextElementSibling && this.rows.indexOf(row) < place) row.before(row.nextElementSibling);
    this.showPlaces();
  }

  /**
   * @param {HTMLElement} row
   * @param {number} to
   */
  move(row, to) {
    const place = Math.min(Math.max(to, 0), this.rows.length - 1);
    if (place === this.rows.indexOf(row)) {
      this.live.textContent = place ? SAYS.last : SAYS.first;
      return;
    }
    this.put(row, place);
    this.setCurrent(row);
    row.scrollIntoView({ block: "nearest" });
    this.announce(row);
    this.send();
  }

  // ---- keys and buttons

  /** @param {KeyboardEvent} event */
  press(event) {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    const row = rowOf(targetOf(event));
    if (event.key === "Escape" && this.drag) this.cancelDrag();
    else if (!by || !row || event.ctrlKey || event.metaKey || event.shiftKey) return;
    else if (event.altKey) this.move(row, this.rows.indexOf(row) + by);
    else this.handleOf(this.rows[this.rows.indexOf(row) + by])?.focus();
    event.preventDefault();
  }

  /** @param {Event} event */
  click(event) {
    const target = targetOf(event);
    const button = /** @type {HTMLElement | null} */ (target.closest("button[data-by]"));
    const row = rowOf(target);
    if (!row) return;
    if (!button) {
      this.handleOf(row)?.focus({ preventScroll: true }); // keys now move the clicked row
      return;
    }
    this.move(row, button.dataset.by === "top" ? 0 : this.rows.indexOf(row) + Number(button.dataset.by));
    button.focus();
  }

  // ---- dragging: a touch drags a row only at its handle, because a touch elsewhere scrolls the page

  /** @param {PointerEvent} event */
  startDrag(event) {
    const target = targetOf(event);
    const row = rowOf(target);
    const isOnHandle = target.closest(".handle");
    const isMouse = event.pointerType === "mouse";
    if (!row || event.button || !event.isPrimary || (!isOnHandle && (!isMouse || target.closest("button")))) return;
    this.drag = { row, before: this.order, start: event.clientY, y: event.clientY };
  }

  /** @param {PointerEvent} event */
  dragTo(event) {
    const { drag } = this;
    if (!drag || !event.isPrimary) return;
    drag.y = event.clientY;
    if (!drag.ticking && Math.abs(drag.y - drag.start) > THRESHOLD) {
      drag.ticking = setInterval(() => this.follow(), TICK);
      drag.row.classList.add("dragged");
      this.handleOf(drag.row)?.focus({ preventScroll: true });
    }
    if (drag.ticking) this.follow();
  }

  follow() {
    if (!this.drag) return;
    const { row, y } = this.drag;
    while (row.previousElementSibling && y < middleOf(row.previousElementSibling)) {
      row.after(row.previousElementSibling);
    }
    while (row.nextElementSibling && y > middleOf(row.nextElementSibling)) row.before(row.nextElementSibling);
    this.showPlaces();
    row.scrollIntoView({ block: "nearest" });
  }

  endDrag() {
    const drag = this.leaveDrag();
    if (!drag || drag.before.join() === this.order.join()) return;
    this.announce(drag.row);
    this.send();
  }

  cancelDrag() {
    const drag = this.leaveDrag();
    if (drag) this.put(drag.row, drag.before.indexOf(Number(drag.row.dataset.position)));
  }

  leaveDrag() {
    const { drag } = this;
    clearInterval(drag?.ticking);
    drag?.row.classList.remove("dragged");
    this.drag = null;
    return drag;
  }
}

/** @param {OrderedPaper} paper */
function rowFor({ position, title, authors }) {
  /**
   * @param {number | "top"} by
   * @param {string} sign
   * @param {string} label
   */
  const button = (by, sign, label) =>
    make("button", { type: "button", "data-by": by, "aria-label": label, title: label.split(":")[0] }, sign);
  return make(
    "li",
    { "data-position": position },
    make(
      "button",
      { type: "button", class: "handle", "aria-label": SAYS.move(title), "aria-describedby": "hint" },
      "⠿",
    ),
    make("span", { class: "number" }),
    make(
      "div",
      { class: "text" },
      make("div", { class: "title", dir: "auto" }, title),
      make("div", { class: "authors", dir: "auto" }, authors || SAYS.noAuthor),
    ),
    make(
      "span",
      { class: "buttons" },
      button(-1, "↑", SAYS.up(title)),
      button(1, "↓", SAYS.down(title)),
      button("top", "⤒", SAYS.top(title)),
    ),
  );
}

/**
 * @param {Element} element
 * @returns {HTMLElement | null}
 */
function rowOf(element) {
  return element.closest("li");
}

/**
 * @param {OrderedPaper[]} papers
 * @param {number[]} order
 */
function isSame(papers, order) {
  return papers.map(({ position }) => position).join() === order.join();
}

/** @param {Element} row */
function middleOf(row) {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}

/**
 * Return the first match of a selector inside a row. Rows always have all parts.
 * @param {Element} element
 * @param {string} selector
 */
function partOf(element, selector) {
  return /** @type {HTMLElement} */ (element.querySelector(selector));
}
