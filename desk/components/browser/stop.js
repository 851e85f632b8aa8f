// Over the page: how sure it is that all was seen, where each choice lets one stop, and ten papers drawn from the rest.

class Stop {
  constructor(list, bar) {
    this.list = list;
    this.bar = bar;
    const { order, levels, papers } = list.given;
    this.offer = null;
    this.facts = make("p", { class: "facts" });
    this.minutes = "";
    this.chart = new Chart(order.map((position) => papers[position - 1]));
    this.choice = new Choice(SAYS.level, Object.fromEntries(levels.map((level) => [level, ""])), (level) => this.choose(Number(level)));
    this.choice.element.classList.add("levels");
    this.levelsShown = make("div", {}, make("p", { "aria-hidden": true }, SAYS.level), this.choice.element);
    this.button = make("button", { type: "button" }, SAYS.draw);
    this.button.addEventListener("click", () => this.ask());
    this.drawTells = make("p", { class: "quiet" }, SAYS.drawTells);
    this.drawSays = make("p", {}, make("b"));
    this.detail = make("details", {}, make("summary", {}, SAYS.howSure), make("p"));
    const close = make("button", { type: "button" }, SAYS.close);
    close.addEventListener("click", () => this.element.close());
    this.ofLight = [this.chart.element, this.levelsShown, this.button, this.drawTells];
    this.element = make(
      "dialog",
      { "aria-labelledby": "stop-title", class: "stop" },
      make("h3", { id: "stop-title" }, SAYS.stopTitle),
      this.facts,
      this.chart.element,
      this.levelsShown,
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

  choose(level) {
    if (level === this.level) return;
    this.list.outbox.add({ kind: "level", level });
    this.draw();
  }

  ask() {
    if (this.isAsking) return;
    this.list.outbox.add({ kind: "draw" });
    this.draw();
  }

  get level() {
    return this.list.outbox.ofKind("level").at(-1)?.level ?? this.bar.light?.level;
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
    setText(this.facts, SAYS.facts(lines.read.size, rows.length, decisions.counts, isLit ? light?.chance : "", this.minutes));
    for (const part of this.ofLight) part.hidden = !isLit;
    const said = isLit ? (this.offer?.says ?? "") : "";
    setText(this.drawSays.firstChild, said);
    this.drawSays.hidden = !said;
    setText(this.detail.lastChild, this.offer?.detail ?? "");
    this.detail.hidden = !said || !this.offer.detail;
    if (!isLit) return;
    this.chart.show(lines.place, light?.redAt ?? Infinity);
    for (const { level, says } of light?.stops ?? []) this.choice.name(String(level), says);
    this.choice.press(String(this.level));
    this.button.hidden = !this.offer?.mayDraw && !this.isAsking;
    this.drawTells.hidden = this.button.hidden;
    this.button.setAttribute("aria-disabled", this.isAsking);
  }
}
