// Dialog about the stop advice: reading progress, score chart, stop point for each target recall, and spot check.

import { Chart } from "./chart.js";
import { make, setText } from "./elements.js";
import { Choice } from "./head.js";
import { SAYS } from "./words.js";
/** @import { Bar } from "./bar.js" */
/** @import { ReviewList } from "./list.js" */
/** @import { TargetRecall, ReviewResponse } from "./messages.js" */

export class Stop {
  /**
   * @param {ReviewList} list
   * @param {Bar} bar
   */
  constructor(list, bar) {
    this.list = list;
    this.bar = bar;
    const { order, choices, papers } = list.given;
    this.facts = make("p", { class: "facts" });
    this.minutes = "";
    this.chart = new Chart(order.map((position) => papers[position - 1]));
    const names = /** @type {Record<TargetRecall, string>} */ (Object.fromEntries(choices.map((one) => [one, ""])));
    this.choice = new Choice(SAYS.targetRecall, names, (one) => this.choose(one));
    this.choice.element.classList.add("choices");
    this.choicesShown = make("div", {}, make("p", { "aria-hidden": true }, SAYS.targetRecall), this.choice.element);
    this.button = make("button", { type: "button" });
    this.button.addEventListener("click", () => list.spotCheck.ask());
    this.checkTells = make("p", { class: "quiet" }, SAYS.checkTells);
    this.checkText = make("b");
    this.checkSays = make("p", {}, this.checkText);
    this.detailText = make("p");
    this.detail = make("details", {}, make("summary", {}, SAYS.howSure), this.detailText);
    const close = make("button", { type: "button" }, SAYS.close);
    close.addEventListener("click", () => this.element.close());
    this.basis = make("p", { class: "quiet" });
    this.ofStopAdvice = [this.basis, this.chart.element, this.button, this.checkTells];
    /** @type {TargetRecall | null} */
    this.chosen = null; // choice stored on the server; known before the stop advice arrives
    this.element = make(
      "dialog",
      { "aria-labelledby": "stop-title", class: "stop" },
      make("h3", { id: "stop-title" }, SAYS.stopTitle),
      this.facts,
      make("p", { class: "quiet" }, SAYS.readMeans),
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

  /** @param {TargetRecall} targetRecall */
  choose(targetRecall) {
    if (targetRecall === this.targetRecall) return;
    this.list.outbox.add({ kind: "miss", targetRecall });
    this.draw();
  }

  get targetRecall() {
    return this.list.outbox.ofKind("miss").at(-1)?.targetRecall ?? this.chosen ?? undefined;
  }

  /** @param {ReviewResponse} response */
  learn({ minutes, stopAdvice, targetRecall }) {
    this.minutes = minutes ?? this.minutes;
    this.chosen = targetRecall ?? stopAdvice?.targetRecall ?? this.chosen;
  }

  draw() {
    const { lines, decisions, rows, spotCheck } = this.list;
    const { isLit, stopAdvice } = this.bar;
    setText(
      this.facts,
      SAYS.facts(lines.read.size, rows.length, decisions.counts, isLit ? stopAdvice?.left : "", this.minutes),
    );
    for (const part of this.ofStopAdvice) part.hidden = !isLit;
    this.choicesShown.hidden = !this.bar.mayBeLit || (!isLit && this.list.given.order.length > 0);
    for (const one of this.list.given.choices) this.choice.name(one, SAYS.targetRecalls[one]);
    if (this.targetRecall) this.choice.press(this.targetRecall);
    const result = isLit && this.list.drawn.size ? spotCheck.says : "";
    setText(this.checkText, result);
    this.checkSays.hidden = !result;
    setText(this.detailText, spotCheck.shown?.detail ?? "");
    this.detail.hidden = !result || !spotCheck.shown?.detail;
    if (!isLit) return;
    setText(this.basis, stopAdvice?.basis ?? "");
    this.chart.show(lines.place, stopAdvice?.stopAt ?? Infinity);
    for (const { targetRecall, says } of stopAdvice?.stops ?? []) this.choice.name(targetRecall, says);
    const offer = spotCheck.shown?.offer ?? "";
    if (offer) setText(this.button, offer);
    this.button.hidden = !offer && !spotCheck.isAsking;
    this.checkTells.hidden = this.button.hidden;
    this.button.setAttribute("aria-disabled", String(spotCheck.isAsking));
  }
}
