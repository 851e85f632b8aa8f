// Head of the list: the search box with the number of hits, the filters with counts, the order, the help button, and
// the bar below them.

import { entriesOf, make, setText } from "./elements.js";
import { ACTIONS, FILTERS, ORDERS, SAYS, SIGNS } from "./words.js";
/** @import { Bar } from "./bar.js" */
/** @import { ReviewList } from "./list.js" */
/** @import { Filter } from "./messages.js" */
/** @import { Row } from "./row.js" */

export class Head {
  /**
   * @param {ReviewList} list
   * @param {Bar} bar
   */
  constructor(list, bar) {
    this.list = list;
    const says = { "aria-label": SAYS.search, placeholder: SAYS.search };
    this.search = make("input", { type: "search", maxlength: 500, ...says });
    this.search.addEventListener("input", () => list.seek(this.search.value));
    this.search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !list.hits.size || event.isComposing) return;
      event.preventDefault(); // without this, Enter would also press the newly focused button
      list.focus(list.shown[0]);
    });
    this.hits = make("span", { class: "hits" });
    this.filters = new Choice(SAYS.show, FILTERS, (filter) => list.look({ filter }));
    this.orders = new Choice(SAYS.order, ORDERS, (order) => list.look({ order }));
    this.orders.element.hidden = !list.given.order.length;
    this.tags = make("select", { class: "tagged", "aria-label": SAYS.tagged, hidden: "" });
    this.tags.addEventListener("change", () => list.look({ tag: this.tags.value }));
    const keys = make(
      "button",
      { type: "button", class: "help" },
      "?",
      make("span", { class: "long" }, ` ${SAYS.keys}`),
    );
    keys.addEventListener("click", () => list.actions.help());
    this.abstracts = make(
      "button",
      { type: "button", "aria-pressed": false, title: ACTIONS.abstracts },
      SAYS.abstracts,
    );
    this.abstracts.addEventListener("click", () => list.actions.abstracts());
    this.undo = make("button", { type: "button", title: ACTIONS.undo, disabled: "" }, "↶ ", SAYS.undo);
    this.undo.addEventListener("click", () => list.actions.undo());
    const choices = [this.filters.element, this.tags, this.orders.element, this.abstracts];
    const find = make("button", { type: "button", class: "find" }, SAYS.find);
    find.addEventListener("click", () => list.actions.search());
    const end = make("div", { class: "at-end" }, list.ordering.element, list.place.button, this.undo, find, keys);
    this.tools = make("div", { class: "tools" }, this.search, this.hits, ...choices, end);
    this.element = make("div", { class: "head" }, this.tools, bar.element);
  }

  /**
   * Show the number of hits. `isAlone` is true if only the hits are listed, and false if they are highlighted in the
   * whole list. In that case, the search box is empty and the query is shown, too.
   * @param {string} sought
   * @param {number} n
   * @param {{ isAlone: boolean }} options
   */
  showHits(sought, n, { isAlone }) {
    const isSaid = sought && (isAlone || n > 0);
    setText(this.hits, isSaid ? (isAlone ? SAYS.hits(n) : SAYS.marked(n, sought)) : "");
    this.hits.title = this.hits.textContent; // a long query is cut off
  }

  /** @param {Record<Filter, number>} counts */
  showCounts(counts) {
    for (const [filter, count] of entriesOf(counts)) this.filters.count(filter, count);
    this.filters.offer("drawn", counts.drawn > 0);
  }

  /**
   * Offer every tag that is used in the list, and the selected tag even if no paper has it any more.
   * @param {Row[]} rows
   * @param {string} chosen
   */
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

/**
 * Group of toggle buttons, one of which is pressed.
 * @template {string} Value
 */
export class Choice {
  /**
   * @param {string} label
   * @param {Record<Value, string>} names
   * @param {(value: Value) => void} onChoice
   */
  constructor(label, names, onChoice) {
    this.names = names;
    this.element = make("div", { class: "choice", role: "group", "aria-label": label });
    /** @type {Map<Value, HTMLButtonElement>} */
    this.buttons = new Map();
    const signs = /** @type {Partial<Record<string, string>>} */ (SIGNS);
    for (const [value, name] of entriesOf(names)) {
      const button = make("button", { type: "button" }, signs[value] || name);
      button.addEventListener("click", () => onChoice(value));
      this.buttons.set(value, button);
      this.element.append(button);
    }
  }

  /** @param {Value} chosen */
  press(chosen) {
    for (const [value, button] of this.buttons) button.setAttribute("aria-pressed", String(value === chosen));
  }

  /**
   * @param {Value} value
   * @param {string} text
   */
  name(value, text) {
    const button = this.buttons.get(value);
    if (button) setText(button, text);
  }

  /**
   * @param {Value} value
   * @param {boolean} isOffered
   */
  offer(value, isOffered) {
    const button = this.buttons.get(value);
    if (button) button.hidden = !isOffered;
  }

  /**
   * @param {Value} value
   * @param {number} n
   */
  count(value, n) {
    const button = this.buttons.get(value);
    if (!button) return;
    if (!button.lastElementChild) button.append(" ", make("span", { class: "count" }));
    const shown = button.lastElementChild;
    if (!shown || shown.textContent === String(n)) return;
    shown.textContent = String(n);
    button.setAttribute("aria-label", `${this.names[value]} ${n}`);
  }
}
