// Over the page: how sure it is that all was seen, where each choice lets one stop, and ten papers drawn from the rest.

class Stop {
  constructor(list, bar) {
    this.list = list;
    this.bar = bar;
    const { order, choices, papers } = list.given;
    this.offer = null;
    this.facts = make("p", { class: "facts" });
    this.minutes = "";
    this.chart = new Chart(order.map((position) => papers[position - 1]));
    this.choice = new Choice(SAYS.mayMiss, Object.fromEntries(choices.map((one) => [one, ""])), (one) => this.choose(one));
    this.choice.element.classList.add("choices");
    this.choicesShown = make("div", {}, make("p", { "aria-hidden": true }, SAYS.mayMiss), this.choice.element);
    this.button = make("button", { type: "button" }, SAYS.draw);
    this.button.addEventListener("click", () => this.ask());
    this.drawTells = make("p", { class: "quiet" }, SAYS.drawTells);
    this.drawSays = make("p", {}, make("b"));
    this.detail = make("details", {}, make("summary", {}, SAYS.howSure), make("p"));
    const close = make("button", { type: "button" }, SAYS.close);
    close.addEventListener("click", () => this.element.close());
    this.ofLight = [this.chart.element, this.choicesShown, this.button, this.drawTells];
    this.element = make(
      "dialog",
      { "aria-labelledby": "stop-title", class: "stop" },
      make("h3", { id: "stop-title" }, SAYS.stopTitle),
      this.facts,
      this.chart.element,
      this.choicesShown,
      this.button,
      this.drawTells,
      this.drawSays,
      this.detail,
      close,
    );
  }

  show() {
    this.draw();
    this.element.showModal();
  }

  choose(mayMiss) {
    if (mayMiss === this.mayMiss) return;
    this.list.outbox.add({ kind: "miss", mayMiss });
    this.draw();
  }

  ask() {
    if (this.isAsking) return;
    this.list.outbox.add({ kind: "draw" });
    this.draw();
  }

  get mayMiss() {
    return this.list.outbox.ofKind("miss").at(-1)?.mayMiss ?? this.bar.light?.mayMiss;
  }

  get isAsking() {
    return this.list.outbox.ofKind("draw").length > 0;
  }

  learn({ minutes, draw }) {
    this.offer = draw;
    this.minutes = minutes ?? this.minutes;
  }

  draw() {
    const { lines, decisions, rows } = this.list;
    const { isLit, light } = this.bar;
    setText(this.facts, SAYS.facts(lines.read.size, rows.length, decisions.counts, isLit ? light?.left : "", this.minutes));
    for (const part of this.ofLight) part.hidden = !isLit;
    const said = isLit ? (this.offer?.says ?? "") : "";
    setText(this.drawSays.firstChild, said);
    this.drawSays.hidden = !said;
    setText(this.detail.lastChild, this.offer?.detail ?? "");
    this.detail.hidden = !said || !this.offer.detail;
    if (!isLit) return;
    this.chart.show(lines.place, light?.stopAt ?? Infinity);
    for (const { mayMiss, says } of light?.stops ?? []) this.choice.name(mayMiss, says);
    this.choice.press(this.mayMiss);
    this.button.hidden = !this.offer?.mayDraw && !this.isAsking;
    this.drawTells.hidden = this.button.hidden;
    this.button.setAttribute("aria-disabled", this.isAsking);
  }
}
