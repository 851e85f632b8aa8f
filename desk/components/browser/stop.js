// Over the page: how sure it is that all was seen, where each choice lets one stop, and the spot check.

import { Chart } from "./chart.js";
import { make, setText } from "./elements.js";
import { Choice } from "./head.js";
import { SAYS } from "./words.js";

export class Stop {
  constructor(list, bar) {
    this.list = list;
    this.bar = bar;
    const { order, choices, papers } = list.given;
    this.facts = make("p", { class: "facts" });
    this.minutes = "";
    this.chart = new Chart(order.map((position) => papers[position - 1]));
    this.choice = new Choice(SAYS.mayMiss, Object.fromEntries(choices.map((one) => [one, ""])), (one) => this.choose(one));
    this.choice.element.classList.add("choices");
    this.choicesShown = make("div", {}, make("p", { "aria-hidden": true }, SAYS.mayMiss), this.choice.element);
    this.button = make("button", { type: "button" });
    this.button.addEventListener("click", () => list.spotCheck.ask());
    this.checkTells = make("p", { class: "quiet" }, SAYS.checkTells);
    this.checkSays = make("p", {}, make("b"));
    this.detail = make("details", {}, make("summary", {}, SAYS.howSure), make("p"));
    const close = make("button", { type: "button" }, SAYS.close);
    close.addEventListener("click", () => this.element.close());
    this.basis = make("p", { class: "quiet" });
    this.ofLight = [this.basis, this.chart.element, this.choicesShown, this.button, this.checkTells];
    this.element = make(
      "dialog",
      { "aria-labelledby": "stop-title", class: "stop" },
      make("h3", { id: "stop-title" }, SAYS.stopTitle),
      this.facts,
      this.basis,
      this.chart.element,
      this.choicesShown,
      this.button,
      this.checkTells,
      this.checkSays,
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

  get mayMiss() {
    return this.list.outbox.ofKind("miss").at(-1)?.mayMiss ?? this.bar.light?.mayMiss;
  }

  learn({ minutes }) {
    this.minutes = minutes ?? this.minutes;
  }

  draw() {
    const { lines, decisions, rows, spotCheck } = this.list;
    const { isLit, light } = this.bar;
    setText(this.facts, SAYS.facts(lines.read.size, rows.length, decisions.counts, isLit ? light?.left : "", this.minutes));
    for (const part of this.ofLight) part.hidden = !isLit;
    const said = isLit && this.list.drawn.size ? spotCheck.says : "";
    setText(this.checkSays.firstChild, said);
    this.checkSays.hidden = !said;
    setText(this.detail.lastChild, spotCheck.shown?.detail ?? "");
    this.detail.hidden = !said || !spotCheck.shown?.detail;
    if (!isLit) return;
    setText(this.basis, light?.basis ?? "");
    this.chart.show(lines.place, light?.stopAt ?? Infinity);
    for (const { mayMiss, says } of light?.stops ?? []) this.choice.name(mayMiss, says);
    this.choice.press(this.mayMiss);
    const offer = spotCheck.shown?.offer ?? "";
    if (offer) setText(this.button, offer);
    this.button.hidden = !offer && !spotCheck.isAsking;
    this.checkTells.hidden = this.button.hidden;
    this.button.setAttribute("aria-disabled", spotCheck.isAsking);
  }
}
