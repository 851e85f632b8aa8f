// How far one has come, and what the traffic light says of it. What a key changes is counted here, in the browser; the
// rest comes with the next reply, and stays as it was until then.

class Panel {
  constructor(list) {
    this.list = list;
    const { order, levels, isLocked } = list.given;
    this.mayBeLit = levels.length > 0 && !isLocked;
    this.light = null;
    this.offer = null;
    [this.readTo, this.relevant, this.maybe, this.minutes, this.chance] = Array.from({ length: 5 }, () => make("b"));
    this.chanceShown = make("span", { class: "part" }, `${SAYS.chance} `, this.chance);
    this.minutesShown = make("span", { class: "part", hidden: "" }, `${SAYS.minutes} `, this.minutes);
    this.chart = new Chart(order.map((position) => list.given.papers[position - 1]));
    this.dot = make("span", { class: "dot", "aria-hidden": true }, "●");
    this.name = make("b");
    this.says = make("span");
    this.drawSays = make("p");
    this.controls = this.controlsShown(levels);
    const rest = make("p", {}, this.chanceShown, " ", this.minutesShown);
    const facts = make("div", { class: "facts" }, make("p", {}, ...this.counts()), rest);
    const sentence = make("p", {}, this.dot, this.name, " ", this.says);
    this.told = make("div", { class: "light" }, sentence, this.controls, this.drawSays);
    this.element = make("section", { class: "panel", "aria-label": SAYS.panel });
    this.element.append(facts, this.chart.element, this.told);
  }

  counts() {
    const parts = [
      [`${SAYS.readHere} `, this.readTo, ` ${SAYS.of(this.list.rows.length)}`],
      [`${WORDS.yes} `, this.relevant],
      [`${WORDS.maybe} `, this.maybe],
    ];
    return parts.flatMap((texts) => [make("span", { class: "part" }, ...texts), " "]);
  }

  controlsShown(levels) {
    const names = Object.fromEntries(levels.map((level) => [level, SAYS.percent(level)]));
    this.levels = new Choice(SAYS.level, names, (level) => this.choose(Number(level)));
    this.button = make("button", { type: "button", title: SAYS.drawTells }, SAYS.draw);
    this.button.addEventListener("click", () => this.ask());
    const label = make("span", { class: "quiet", "aria-hidden": true }, SAYS.level);
    return make("div", { class: "controls" }, label, this.levels.element, this.button);
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
    return this.list.outbox.ofKind("level").at(-1)?.level ?? this.light?.level;
  }

  get colour() {
    return this.light ? (this.light.isRed ? "red" : "green") : "unknown";
  }

  get isAsking() {
    return this.list.outbox.ofKind("draw").length > 0;
  }

  learn({ light, minutes, draw }) {
    const isTurned = light && this.light && light.isRed !== this.light.isRed;
    this.light = light ?? this.light;
    this.offer = draw;
    if (minutes !== null) setText(this.minutes, minutes);
    this.minutesShown.hidden = this.minutes.textContent === "";
    if (isTurned) this.list.announce(`${LIGHTS[this.colour]} ${light.says}`);
  }

  draw() {
    const { lines, decisions, looked } = this.list;
    const isLit = this.mayBeLit && looked.order === "presort";
    setText(this.readTo, lines.place);
    setText(this.relevant, decisions.counts.yes);
    setText(this.maybe, decisions.counts.maybe);
    this.element.classList.toggle("lit", isLit);
    const ofLight = [this.chanceShown, this.chart.element, this.dot, this.name, this.controls];
    for (const part of ofLight) part.hidden = !isLit;
    this.drawSays.hidden = !isLit || !this.offer?.says;
    if (isLit) this.drawLight(lines.place);
    else setText(this.says, this.unlit());
    this.told.hidden = this.says.textContent === "";
  }

  unlit() {
    if (this.list.given.isLocked) return SAYS.locked;
    return this.mayBeLit ? SAYS.noLight : "";
  }

  drawLight(place) {
    const { light, offer, button } = this;
    setText(this.chance, light?.chance ?? SAYS.unknown);
    this.dot.dataset.light = this.colour;
    setText(this.name, LIGHTS[this.colour] ?? "");
    setText(this.says, light?.says ?? SAYS.unknown);
    this.levels.press(String(this.level));
    this.chart.show(place, light?.redAt ?? Infinity);
    button.hidden = !offer?.mayDraw && !this.isAsking;
    button.setAttribute("aria-disabled", this.isAsking);
    setText(this.drawSays, offer?.says ?? "");
  }
}
