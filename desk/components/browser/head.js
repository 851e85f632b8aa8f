// What stands above the list: search with its hits, filters with counts, the order, the keys; below them, the bar.

import { make, setText } from "./elements.js";
import { ACTIONS, FILTERS, ORDERS, SAYS, SIGNS } from "./words.js";

export class Head {
  constructor(list, bar) {
    this.list = list;
    const says = { "aria-label": SAYS.search, placeholder: SAYS.search };
    this.search = make("input", { type: "search", maxlength: 500, ...says });
    this.search.addEventListener("input", () => list.seek(this.search.value));
    this.search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !list.hits.size || event.isComposing) return;
      event.preventDefault(); // it would press the sign that is focused now
      list.focus(list.shown[0]);
    });
    this.hits = make("span", { class: "hits" });
    this.filters = new Choice(SAYS.show, FILTERS, (filter) => list.look({ filter }));
    this.orders = new Choice(SAYS.order, ORDERS, (order) => list.look({ order }));
    this.orders.element.hidden = !list.given.order.length;
    this.tags = make("select", { class: "tagged", "aria-label": SAYS.tagged, hidden: "" });
    this.tags.addEventListener("change", () => list.look({ tag: this.tags.value }));
    const keys = make("button", { type: "button", class: "help" }, "? ", SAYS.keys);
    keys.addEventListener("click", () => list.actions.help());
    this.undo = make("button", { type: "button", title: ACTIONS.undo, disabled: "" }, "↶ ", SAYS.undo);
    this.undo.addEventListener("click", () => list.actions.undo());
    const choices = [this.filters.element, this.tags, this.orders.element];
    const end = make("div", { class: "at-end" }, this.undo, keys);
    this.tools = make("div", { class: "tools" }, this.search, this.hits, ...choices, end);
    this.element = make("div", { class: "head" }, this.tools, bar.element);
  }

  // Tell what was searched and found, be it shown alone or marked among the others.
  showHits(sought, n, { isAlone }) {
    const isSaid = sought && (isAlone || n > 0);
    setText(this.hits, isSaid ? (isAlone ? SAYS.hits : SAYS.marked)(n, sought) : "");
  }

  showCounts(counts) {
    for (const [filter, count] of Object.entries(counts)) this.filters.count(filter, count);
    this.filters.offer("drawn", counts.drawn > 0);
  }

  // Offer each tag that any paper has, and the one looked at.
  showTags(rows, chosen) {
    const counts = new Map(chosen ? [[chosen, 0]] : []);
    for (const tag of rows.flatMap((row) => row.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    const options = [...counts].sort(([one], [other]) => one.localeCompare(other));
    this.tags.replaceChildren(
      make("option", { value: "" }, SAYS.anyTag),
      ...options.map(([tag, n]) => make("option", { value: tag }, `${tag} ${n}`)),
    );
    this.tags.value = chosen;
    this.tags.hidden = !options.length;
  }
}

// Buttons of which one is pressed.
export class Choice {
  constructor(label, names, onChoice) {
    this.names = names;
    this.element = make("div", { class: "choice", role: "group", "aria-label": label });
    this.buttons = new Map();
    for (const [value, name] of Object.entries(names)) {
      const button = make("button", { type: "button" }, SIGNS[value] || name);
      button.addEventListener("click", () => onChoice(value));
      this.buttons.set(value, button);
      this.element.append(button);
    }
  }

  press(chosen) {
    for (const [value, button] of this.buttons) button.setAttribute("aria-pressed", value === chosen);
  }

  name(value, text) {
    setText(this.buttons.get(value), text);
  }

  offer(value, isOffered) {
    this.buttons.get(value).hidden = !isOffered;
  }

  count(value, n) {
    const button = this.buttons.get(value);
    if (button.childElementCount === 0) button.append(" ", make("span", { class: "count" }));
    if (button.lastChild.textContent === String(n)) return;
    button.lastChild.textContent = n;
    button.setAttribute("aria-label", `${this.names[value]} ${n}`);
  }
}
