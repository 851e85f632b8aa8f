// Order of the list: re-rank the unread papers with the decisions made in the list, and undo the re-ranking.

import { make, setText } from "./elements.js";
import { KEY_NAMES, SAYS } from "./words.js";
/** @import { ReviewList } from "./list.js" */
/** @import { Label, RerankingView, ReviewResponse } from "./messages.js" */

export class Ordering {
  /**
   * @param {ReviewList} list
   * @param {RerankingView | null} reranking
   */
  constructor(list, reranking) {
    this.list = list;
    this.reranking = reranking; // null if the list shows the original ranking
    const [key] = list.given.keys.rerank;
    this.label = make("span", { class: "long" });
    this.short = make("span", { class: "short", "aria-hidden": true });
    this.main = make("button", { type: "button", class: "rerank" }, this.label, this.short, " ");
    this.main.append(make("kbd", {}, KEY_NAMES[key] ?? key));
    this.main.addEventListener("click", () => this.rerank());
    this.backLabel = make("span", { class: "long" });
    const backShort = make("span", { class: "short", "aria-hidden": true }, SAYS.undoRerankShort);
    this.back = make("button", { type: "button", class: "undo-rerank" }, this.backLabel, backShort);
    this.back.addEventListener("click", () => this.ask("undoRerank"));
    this.newer = make("button", { type: "button", class: "newer-order", hidden: "" });
    this.newer.addEventListener("click", () => this.ask("showNewestOrder"));
    this.element = make("span", { class: "ordering" }, this.main, this.back, this.newer);
  }

  // Number of decisions on which the shown order was trained. 0 for the original ranking.
  get nUsed() {
    return Object.keys(this.reranking?.labels ?? {}).length;
  }

  // Number of papers whose decisions differ from those on which the shown order was trained.
  get nNew() {
    const used = this.reranking?.labels ?? {};
    return this.list.rows.filter((row) => trainingLabel(row.label) !== used[row.paper.id]).length;
  }

  // Reason why re-ranking would not change the order. Empty if it may.
  get whyNot() {
    if (!this.list.decisions.counts.yes) return SAYS.nothingToRerankBy;
    return this.nNew ? "" : SAYS.nothingNew;
  }

  get number() {
    return this.reranking?.number ?? null;
  }

  get rows() {
    const { given, rows } = this.list;
    return (this.reranking?.order ?? given.order).map((position) => rows[position - 1]);
  }

  // Score shown at each position. As in the stop advice, it is the score of the paper that the original ranking has at
  // this position.
  get shares() {
    const { given, rows } = this.list;
    return given.order.map((position) => rows[position - 1].paper.share);
  }

  get isOffered() {
    const { given, looked } = this.list;
    return given.order.length > 0 && !given.isLocked && looked.order === "presort";
  }

  rerank() {
    if (!this.isOffered) this.list.notify(this.list.given.isLocked ? SAYS.locked : SAYS.noRerank);
    else if (this.whyNot) this.list.notify(this.whyNot);
    else this.ask("rerank");
  }

  /** @param {"rerank" | "undoRerank" | "showNewestOrder"} kind */
  ask(kind) {
    const { outbox } = this.list;
    if (outbox.isOrdering) return;
    outbox.add({ kind });
    outbox.hurry();
    this.list.announce(SAYS.reranking);
    this.draw();
  }

  /** @param {string} why */
  refuse(why) {
    this.list.notify(why);
    this.draw();
  }

  /**
   * Show a requested order. If another editor created the order, offer it with a button instead.
   * @param {ReviewResponse} response
   * @param {{ isAsked: boolean }} options
   */
  learn({ reranking, rerankedBy }, { isAsked }) {
    const isOther = reranking !== null && reranking.number !== this.number && reranking.order.length > 0;
    if (isAsked && isOther) {
      this.reranking = reranking;
      this.list.outbox.reranking = reranking.number;
      this.list.showOrder(this.rows);
      this.list.notify(this.nUsed ? SAYS.reranked(this.nUsed) : SAYS.firstOrder);
    }
    const by = isOther && !isAsked ? reranking.person : rerankedBy;
    this.newer.hidden = !by || this.number === reranking?.number && !rerankedBy;
    if (by) setText(this.newer, SAYS.rerankedBy(by));
    this.draw();
  }

  draw() {
    const { outbox } = this.list;
    const { nNew, nUsed, whyNot } = this;
    this.element.hidden = !this.isOffered;
    setText(this.label, outbox.isOrdering ? SAYS.reranking : SAYS.rerank(nNew));
    setText(this.short, outbox.isOrdering ? "…" : SAYS.rerankShort(nNew));
    this.main.setAttribute("aria-disabled", String(whyNot !== "" || outbox.isOrdering));
    this.main.title = whyNot || this.label.textContent;
    this.back.hidden = !nUsed;
    if (nUsed) setText(this.backLabel, SAYS.undoRerank(nUsed));
  }
}

/**
 * Return the label of a paper as re-ranking uses it, or undefined if it doesn't use the label.
 * @param {Label} label
 */
function trainingLabel(label) {
  return label === "yes" || label === "no" ? label : undefined;
}
