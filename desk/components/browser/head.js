// What stands above the list: search, filter with counts, order, and whether all is saved.

class Head {
  constructor(list) {
    this.list = list;
    const says = { "aria-label": SAYS.search, placeholder: SAYS.search };
    this.search = make("input", { type: "search", maxlength: 500, ...says });
    this.search.addEventListener("input", () => list.look({ query: this.search.value }));
    this.filters = new Choice(SAYS.show, FILTERS, (filter) => list.look({ filter }));
    this.orders = new Choice(SAYS.order, ORDERS, (order) => list.look({ order }));
    this.orders.element.hidden = !list.given.order.length;
    this.status = make("span", { class: "status" });
    const keys = make("button", { type: "button", class: "help" }, "? ", SAYS.keys);
    keys.addEventListener("click", () => list.actions.help());
    this.element = make(
      "div",
      { class: "head" },
      this.search,
      this.filters.element,
      this.orders.element,
      make("span", { class: "end" }, this.status, keys),
    );
  }

  showCounts(counts) {
    for (const [filter, count] of Object.entries(counts)) this.filters.count(filter, count);
    this.filters.offer("drawn", counts.drawn > 0);
  }

  showState({ n, isLost, isKept, refusal, trouble }) {
    let said = n ? SAYS.saving(n) : SAYS.saved;
    if (trouble) said = SAYS.trouble(trouble);
    else if (isLost) said = n ? SAYS.lost(n) : SAYS.lostIdle;
    else if (refusal) said = SAYS.refused(refusal);
    if (!isKept) said += ` · ${SAYS.notKept}`;
    const isWorse = isLost || Boolean(trouble || refusal) || !isKept;
    this.status.textContent = said;
    this.status.classList.toggle("alarm", isWorse);
    if (isWorse !== this.wasWorse) {
      if (this.wasWorse !== undefined) this.list.announce(isWorse ? said : SAYS.back);
      this.wasWorse = isWorse;
    }
  }
}

// Buttons of which one is pressed.
class Choice {
  constructor(label, names, onChoice) {
    this.element = make("div", { class: "choice", role: "group", "aria-label": label });
    this.buttons = new Map();
    for (const [value, name] of Object.entries(names)) {
      const button = make("button", { type: "button" }, name);
      button.addEventListener("click", () => onChoice(value));
      this.buttons.set(value, button);
      this.element.append(button);
    }
  }

  press(chosen) {
    for (const [value, button] of this.buttons) button.setAttribute("aria-pressed", value === chosen);
  }

  offer(value, isOffered) {
    this.buttons.get(value).hidden = !isOffered;
  }

  count(value, n) {
    const button = this.buttons.get(value);
    if (button.childElementCount === 0) button.append(" ", make("span", { class: "count" }));
    setText(button.lastChild, n);
  }
}
