// The papers of a report issue, put in order by mouse, finger, keys or buttons. Each move is shown at once and sent;

import { begun } from "./calls.js";
import { make } from "./elements.js";
// what the server answers is what it has saved.

const PATIENCE = 4000; // milliseconds without an answer, after which a move is sent again
const THRESHOLD = 4; // pixels: a drag, not a click
const TICK = 100; // milliseconds: a drag held at the edge goes on

// All that the list says.
const SAYS = {
  list: "Papers in the order in which they go out",
  hint: "Drag a paper, or move the one in focus with Alt+↑ and Alt+↓. ↑ and ↓ go from paper to paper.",
  move: (title) => `Move: ${title}`,
  up: (title) => `Up: ${title}`,
  down: (title) => `Down: ${title}`,
  top: (title) => `To the top: ${title}`,
  moved: (title, place, n) => `${place} of ${n}: ${title}`,
  first: "It stands first already.",
  last: "It stands last already.",
  noAuthor: "no author given",
  saved: "saved",
  saving: "saving…",
  again: "not saved yet, sending again…",
};

const MOUNTED = new WeakMap();

export default function ({ data, parentElement: root, setTriggerValue }) {
  if (!MOUNTED.has(root)) MOUNTED.set(root, new OrderList(root));
  const list = MOUNTED.get(root);
  list.deliver = (message) => setTriggerValue("moved", message);
  list.take(data);
  return begun(root, () => {
    list.close();
    MOUNTED.delete(root);
  });
}

class OrderList {
  constructor(root) {
    this.number = Math.floor(Math.random() * 2 ** 52); // another than an earlier page in the same session used
    this.awaited = null;
    this.drag = null;
    this.list = make("ol", { role: "list", "aria-label": SAYS.list });
    this.status = make("span", { class: "status" }, SAYS.saved);
    this.live = make("div", { class: "unseen", role: "status" });
    const hint = make("span", { id: "hint" }, SAYS.hint);
    this.element = make("div", { class: "order" }, make("p", {}, hint, " ", this.status), this.list, this.live);
    root.append(this.element);
    this.listen();
  }

  listen() {
    this.stop = new AbortController();
    const { signal } = this.stop;
    this.list.addEventListener("keydown", (event) => this.press(event));
    this.list.addEventListener("click", (event) => this.click(event));
    this.list.addEventListener("focusin", (event) => this.setCurrent(rowOf(event.target)));
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

  // ---- what the server tells

  take({ papers, answered }) {
    if (this.awaited !== null && answered !== this.awaited) return; // it doesn't know yet of the newest move
    this.awaited = null;
    clearTimeout(this.patience);
    this.status.textContent = SAYS.saved;
    const told = JSON.stringify(papers);
    if (this.drag || (told === this.told && isSame(papers, this.order))) return;
    this.told = told;
    const isInFocus = this.list.contains(this.list.getRootNode().activeElement);
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
    return [...this.list.children];
  }

  get order() {
    return this.rows.map((row) => Number(row.dataset.position));
  }

  handleOf(row) {
    return row?.querySelector(".handle");
  }

  // Only the row in focus is reached by Tab.
  setCurrent(row) {
    if (!row) return;
    this.current = row;
    for (const one of this.rows) {
      for (const button of one.querySelectorAll("button")) button.tabIndex = one === row ? 0 : -1;
    }
  }

  showPlaces() {
    this.rows.forEach((row, n) => {
      row.querySelector(".number").textContent = n + 1;
    });
  }

  announce(row) {
    const place = this.rows.indexOf(row) + 1;
    this.live.textContent = SAYS.moved(row.querySelector(".title").textContent, place, this.rows.length);
  }

  // The others move around the row, which so keeps the focus and the pointer.
  put(row, place) {
    while (this.rows.indexOf(row) > place) row.after(row.previousElementSibling);
    while (this.rows.indexOf(row) < place) row.before(row.nextElementSibling);
    this.showPlaces();
  }

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

  press(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const row = rowOf(event.target);
    if (event.key === "Escape" && this.drag) this.cancelDrag();
    else if (!by || !row || event.ctrlKey || event.metaKey || event.shiftKey) return;
    else if (event.altKey) this.move(row, this.rows.indexOf(row) + by);
    else this.handleOf(this.rows[this.rows.indexOf(row) + by])?.focus();
    event.preventDefault();
  }

  click(event) {
    const button = event.target.closest("button[data-by]");
    const row = rowOf(event.target);
    if (!button) {
      this.handleOf(row)?.focus({ preventScroll: true }); // so that keys move the row that was clicked
      return;
    }
    this.move(row, button.dataset.by === "top" ? 0 : this.rows.indexOf(row) + Number(button.dataset.by));
    button.focus();
  }

  // ---- dragging: a finger takes the handle, and elsewhere scrolls

  startDrag(event) {
    const row = rowOf(event.target);
    const isOnHandle = event.target.closest(".handle");
    const isMouse = event.pointerType === "mouse";
    if (!row || event.button || !event.isPrimary || (!isOnHandle && (!isMouse || event.target.closest("button")))) return;
    this.drag = { row, before: this.order, start: event.clientY, y: event.clientY };
  }

  dragTo(event) {
    const { drag } = this;
    if (!drag || !event.isPrimary) return;
    drag.y = event.clientY;
    if (!drag.ticking && Math.abs(drag.y - drag.start) > THRESHOLD) {
      drag.ticking = setInterval(() => this.follow(), TICK);
      drag.row.classList.add("dragged");
      this.handleOf(drag.row).focus({ preventScroll: true });
    }
    if (drag.ticking) this.follow();
  }

  follow() {
    const { row, y } = this.drag;
    while (row.previousElementSibling && y < middleOf(row.previousElementSibling)) row.after(row.previousElementSibling);
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

function rowFor({ position, title, authors }) {
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

function rowOf(element) {
  return element.closest("li");
}

function isSame(papers, order) {
  return papers.map(({ position }) => position).join() === order.join();
}

function middleOf(row) {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}
