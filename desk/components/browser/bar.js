// Sticky bar: reading progress, stop advice, save status and the button to publish. Reading progress is updated here
// after every key press. Everything else is updated by the next response from the server.

import { make, setText } from "./elements.js";
import { Stop } from "./stop.js";
import { SAYS } from "./words.js";
/** @import { ReviewList } from "./list.js" */
/** @import { StopAdviceView, ReviewResponse } from "./messages.js" */
/** @import { OutboxState } from "./outbox.js" */

export class Bar {
  /** @param {ReviewList} list */
  constructor(list) {
    this.list = list;
    const { choices, isLocked } = list.given;
    this.mayBeLit = choices.length > 0 && !isLocked;
    /** @type {StopAdviceView | null} */
    this.stopAdvice = null;
    /** @type {boolean | undefined} */
    this.wasWorse = undefined; // undefined until the first state is shown
    this.stop = new Stop(list, this);
    this.read = make("b");
    this.verdict = make("b");
    this.says = make("span");
    this.fill = make("span", { class: "fill" });
    this.mark = make("span", { class: "mark" });
    this.strip = make("span", { class: "strip", "aria-hidden": true }, this.fill, this.mark);
    this.dots = [" · ", " · "].map((dot) => make("span", {}, dot));
    const [first, second] = this.dots;
    const n = ` ${SAYS.of(list.rows.length)}`;
    this.text = make("span", { class: "progress-text" }, this.read, n, first, this.verdict, second, this.says);
    this.button = make(
      "button",
      { type: "button", class: "progress-button", "aria-haspopup": "dialog" },
      this.strip,
      this.text,
    );
    this.button.addEventListener("click", () => this.stop.show());
    this.status = make("span", { class: "status" });
    this.publish = make("button", { type: "button", class: "publish" }, SAYS.publish);
    this.publish.hidden = isLocked;
    this.publish.addEventListener("click", () => list.outbox.add({ kind: "leave" }));
    const end = make("span", { class: "end" }, this.status, this.publish);
    this.element = make("section", { class: "progress", "aria-label": SAYS.panel }, this.button, end);
  }

  get isLit() {
    return this.mayBeLit && this.list.looked.order === "presort";
  }

  /** @param {ReviewResponse} response */
  learn(response) {
    const { stopAdvice } = response;
    const isTurned = stopAdvice && this.stopAdvice && stopAdvice.mayStop !== this.stopAdvice.mayStop;
    this.stopAdvice = stopAdvice ?? this.stopAdvice;
    this.stop.learn(response);
    if (isTurned) this.list.announceNews(`${stopAdvice.verdict}: ${stopAdvice.says}`);
  }

  draw() {
    const { lines, rows } = this.list;
    setText(this.read, lines.read.size);
    setText(this.verdict, this.isLit ? (this.stopAdvice?.verdict ?? "") : "");
    setText(this.says, this.isLit ? (this.stopAdvice?.says ?? SAYS.unknown) : this.unlit());
    [this.verdict, this.says].forEach((part, n) => (this.dots[n].hidden = part.textContent === ""));
    this.fill.style.setProperty("--to", String(lines.read.size / rows.length));
    const stopAt = this.isLit ? (this.stopAdvice?.stopAt ?? rows.length) : rows.length;
    this.mark.hidden = stopAt >= rows.length;
    this.mark.style.setProperty("--at", String(stopAt / rows.length));
    this.element.classList.toggle("may-stop", Boolean(this.isLit && this.stopAdvice?.mayStop));
    this.stop.draw();
  }

  unlit() {
    if (this.list.given.isLocked) return SAYS.locked;
    return this.mayBeLit ? SAYS.noStopAdvice : "";
  }

  /** @param {OutboxState} state */
  showState({ n, isLost, isKept, refusal, trouble }) {
    let message = n ? SAYS.saving(n) : SAYS.saved;
    if (trouble) message = SAYS.trouble(trouble);
    else if (isLost) message = n ? SAYS.lost(n) : SAYS.lostIdle;
    else if (refusal) message = SAYS.refused(refusal);
    if (!isKept) message += ` · ${SAYS.notKept}`;
    const isWorse = isLost || Boolean(trouble || refusal) || !isKept;
    this.status.textContent = message;
    this.status.classList.toggle("alarm", isWorse);
    if (isWorse !== this.wasWorse) {
      if (this.wasWorse !== undefined) this.list.announceNews(isWorse ? message : SAYS.back);
      this.wasWorse = isWorse;
    }
  }
}
