// Spot check: a few papers drawn at random from below the stop point. It is offered below the line "you have read up
// to here". During the check, the list shows only the drawn papers. The result is shown where the check was started.

import { make, setText } from "./elements.js";
import { KEY_NAMES, SAYS } from "./words.js";
/** @import { Look, ReviewList } from "./list.js" */
/** @import { ReviewResponse, SpotCheckView } from "./messages.js" */

/** @typedef {{ paper?: string, look: Partial<Look> }} Detour Paper, filter, search and tag to restore. */

export class SpotCheck {
  /**
   * @param {ReviewList} list
   * @param {Detour | undefined} from
   */
  constructor(list, from) {
    this.list = list;
    this.from = from; // paper, filter, search and tag to restore after the spot check
    /** @type {SpotCheckView | null} */
    this.shown = null; // state of the spot check on the server
    this.text = make("span", { role: "status" });
    this.rest = make("button", { type: "button" });
    this.rest.addEventListener("click", () => this.finish());
    this.label = make("span");
    const [key] = list.given.keys.check;
    this.main = make("button", { type: "button" }, this.label, " ", make("kbd", {}, KEY_NAMES[key] ?? key));
    this.main.addEventListener("click", () => this.act());
    this.element = make("div", { class: "check-line" }, this.text, this.rest, this.main);
    this.element.addEventListener("mousedown", (event) => event.preventDefault()); // keep the focus on the paper
  }

  /** @param {ReviewResponse} response */
  learn({ spotCheck }) {
    this.shown = spotCheck;
  }

  get isAlone() {
    return this.list.looked.filter === "drawn";
  }

  get isAsking() {
    return this.list.outbox.ofKind("draw").length > 0;
  }

  // Papers of the spot check that are still unread. Papers with unsaved decisions count as read.
  get left() {
    const { drawn, lines, rowOf } = this.list;
    return [...drawn].flatMap((paper) => rowOf.get(paper) ?? []).filter((row) => !lines.read.has(row));
  }

  // Start the spot check, open its papers, or return to the list.
  act() {
    if (this.isAlone) this.goBack();
    else if (this.list.drawn.size) this.open();
    else if (this.shown?.offer) this.ask();
    else this.list.notify(SAYS.noCheck);
  }

  ask() {
    if (this.isAsking) return;
    this.list.outbox.add({ kind: "draw" });
    this.list.drawProgress();
  }

  open() {
    const { current, looked } = this.list;
    const { filter, query, tag } = looked;
    if (!this.isAlone) this.from = { paper: current?.paper.id, look: { filter, query, tag } };
    this.list.look({ filter: "drawn", query: "", tag: "" });
    this.list.focus(this.left[0] ?? this.list.shown[0]);
    this.list.announce(this.says);
  }

  goBack() {
    const { list } = this;
    list.look(this.from?.look ?? { filter: "all" });
    const row = list.rowOf.get(this.from?.paper ?? "") ?? list.lines.firstUnread;
    list.focus(row && list.shown.includes(row) ? row : list.current, { preventScroll: true });
    list.current?.element.scrollIntoView({ block: "center" }); // centred to keep the result above visible
    list.announce(this.says);
  }

  finish() {
    for (const row of this.left) this.list.decisions.decide(row, "no");
    this.list.focus(this.list.current);
  }

  // Describe the state of the spot check. The remaining papers are counted here. The server sends the result with its
  // next response.
  get says() {
    const n = this.left.length;
    if (n) return SAYS.checkLeft(n, this.list.drawn.size);
    return this.shown?.left ? SAYS.unknown : (this.shown?.says ?? "");
  }

  draw() {
    const { bar, drawn } = this.list;
    const isShown = bar.isLit && Boolean(drawn.size || this.shown?.offer || this.isAsking);
    if (!isShown) this.element.remove();
    else {
      setText(this.text, drawn.size ? this.says : "");
      const n = this.isAlone ? this.left.length : 0;
      this.rest.hidden = !n;
      if (n) setText(this.rest, SAYS.checkRest(n));
      setText(this.label, this.labelNow());
      this.main.setAttribute("aria-disabled", String(this.isAsking));
      this.place();
    }
  }

  labelNow() {
    if (this.isAlone) return SAYS.checkBack;
    if (!this.list.drawn.size) return this.shown?.offer || this.label.textContent; // while a draw is pending, there is no offer
    return this.left.length ? SAYS.checkContinue : SAYS.checkShow;
  }

  // While only the papers of the spot check are shown, put the line below them. Otherwise put it below the last paper
  // read.
  place() {
    const { current, grid, lines } = this.list;
    const row = this.isAlone ? null : this.list.rows.find((one) => one.element === lines.readLine.parentElement);
    const parent = this.isAlone ? grid.parentElement : row?.element;
    if (!parent) this.element.remove();
    else if (this.element.parentElement !== parent) {
      if (row) row.element.append(this.element);
      else grid.after(this.element);
      this.element.setAttribute("role", row ? "gridcell" : "group");
      this.element.classList.toggle("alone", !row);
      this.main.tabIndex = this.rest.tabIndex = 0;
    }
    row?.setCurrent(row === current); // makes the new buttons reachable by Tab if the row is current
  }
}
