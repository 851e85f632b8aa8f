// Details of an open paper: abstract, decision buttons, explanation, tags and note.

import { entriesOf, focusedBeside, link, make } from "./elements.js";
import { showText } from "./marks.js";
import { SAYS, SIGNS, WORDS } from "./words.js";
/** @import { Effect, Section, Label } from "./messages.js" */
/** @import { Row } from "./row.js" */

const MOST_TAGS = 50; // maximum number of tags per paper
const PAUSE = 800; // milliseconds after the last key press until a note is saved
export const FIRST_AUTHORS = 12; // number of authors shown in the row; the details show all authors

/**
 * Return a button for a label.
 * @param {Label} label
 * @param {string} name
 * @param {string} text
 */
export function labelButton(label, name, text) {
  const attributes = { class: name, type: "button", tabindex: -1, "aria-pressed": false, "aria-label": WORDS[label] };
  const button = make("button", attributes, text);
  button.dataset.says = label;
  return button;
}

export class Details {
  /** @param {Row} row */
  constructor(row) {
    this.row = row;
    this.list = row.list;
    /** @type {HTMLElement | null} */
    this.answer = null;
    /** @type {HTMLTextAreaElement | null} */
    this.note = null;
    /** @type {number | null} */
    this.writing = null; // timer that saves the note
    this.isTyped = false; // whether the user has typed in the note since it got the focus
    /** @type {HTMLElement | undefined} */
    this.undoHint = undefined;
    /** @type {HTMLElement[]} */
    this.says = [];
    /** @type {Map<string, HTMLInputElement>} */
    this.tagBoxes = new Map();
    this.newTag = make("input", { type: "text", maxlength: 100, dir: "auto", "aria-label": SAYS.newTag });
    const { paper } = row;
    this.element = make("div", { role: "gridcell", class: "details", "aria-label": SAYS.details(row.name) });
    this.abstract = make("p", { class: "abstract", dir: "auto" });
    this.showAbstract();
    this.element.append(this.abstract);
    if (paper.authors.length > FIRST_AUTHORS) {
      this.element.append(make("p", { class: "quiet", dir: "auto" }, paper.authors.join("; ")));
    }
    if (!this.list.given.isLocked) this.element.append(this.wordChoice());
    this.element.append(this.facts());
    if (this.list.given.hasAnswers) this.element.append(this.answer = make("div", { class: "answer" }));
    if (this.list.given.tags) this.element.append(this.tagChoice());
    if (this.list.given.hasNotes) this.element.append(this.noteField());
    this.showAnswer();
    this.showNotes();
  }

  showAbstract() {
    showText(this.abstract, this.row.paper.abstract || SAYS.noAbstract, this.row.shownAs("abstract"));
  }

  wordChoice() {
    for (const label of /** @type {Label[]} */ (["yes", "maybe", "no"])) {
      const button = labelButton(label, "say", `${SIGNS[label]} ${WORDS[label]}`);
      button.addEventListener(
        "click",
        () => this.list.decisions.decide(this.row, this.row.label === label ? "undecided" : label),
      );
      this.says.push(button);
    }
    this.showLabel();
    return make("div", { class: "says", role: "group", "aria-label": SAYS.decide }, ...this.says);
  }

  showLabel() {
    for (const button of this.says) button.setAttribute("aria-pressed", String(button.dataset.says === this.row.label));
  }

  facts() {
    const { series, codes, date, id, links } = this.row.paper;
    const texts = [codes.join(" "), series, date, id].filter(Boolean);
    const parts = [...texts.map((text) => make("span", { dir: "auto" }, text)), ...links.map(link)];
    return make("p", { class: "facts" }, ...parts.flatMap((part, n) => (n ? [" · ", part] : [part])));
  }

  showAnswer() {
    if (!this.answer) return;
    /** @type {Section[]} */
    const sections = this.row.answer ?? [{ heading: SAYS.asking, lines: [] }];
    this.answer.replaceChildren(
      ...sections.map(({ heading, lines, terms = [], detail = [] }) =>
        make(
          "section",
          {},
          make("h4", {}, heading),
          make("ul", {}, ...lines.map((line) => make("li", { dir: "auto" }, line))),
          ...(terms.length && !this.list.given.isLocked ? [this.corrections(terms)] : []),
          ...(detail.length ? [this.figures(detail)] : []),
        )
      ),
    );
  }

  /**
   * Return the figures behind the reasons, initially collapsed.
   * @param {string[]} lines
   */
  figures(lines) {
    const { score } = this.row.paper;
    const shown = score === undefined ? lines : [...lines, SAYS.score(score)];
    const summary = make("summary", { tabindex: this.row === this.list.current ? 0 : -1 }, SAYS.figures);
    return make("details", {}, summary, ...shown.map((line) => make("p", { dir: "auto" }, line)));
  }

  /**
   * Return a menu for muting or boosting the terms that affected the paper's rank.
   * @param {string[]} terms
   */
  corrections(terms) {
    const menu = make("select", { "aria-label": SAYS.correct });
    menu.append(make("option", { value: "" }, SAYS.correct));
    for (const [effect, name] of entriesOf(SAYS.effects)) {
      const options = terms.map((term, n) => {
        const sign = this.list.hints.get(term) === effect ? " ✓" : "";
        return make("option", { value: `${effect} ${n}` }, `${name} ${term}${sign}`);
      });
      menu.append(make("optgroup", { label: SAYS.effectOf[effect] }, ...options));
    }
    menu.tabIndex = this.row === this.list.current ? 0 : -1;
    menu.addEventListener("change", () => {
      const [effect, n] = menu.value.split(" ");
      menu.value = "";
      if (effect) this.correct(/** @type {Effect} */ (effect), terms[Number(n)]);
    });
    return make("p", { class: "corrections" }, menu, ...this.hintShown());
  }

  /**
   * @param {Effect} effect
   * @param {string} term
   */
  correct(effect, term) {
    if (this.list.hints.get(term) === effect) return;
    this.list.hints.set(term, effect);
    this.list.outbox.add({ kind: "hinted", effect, term });
    this.list.announce(SAYS.hinted[effect](term));
    this.row.hinted = effect === "none" ? null : { effect, term };
    this.showAnswer();
    if (focusedBeside(this.element)) return;
    if (effect === "none") this.list.focus(this.row, { preventScroll: true }); // the undo button, which had the focus, is gone
    else this.undoHint?.focus({ preventScroll: true });
  }

  // Return a message that names the term that was just muted or boosted, and an undo button.
  hintShown() {
    if (!this.row.hinted) return [];
    const { effect, term } = this.row.hinted;
    const undo = make("button", { type: "button", class: "undo-hint" }, SAYS.undo);
    undo.tabIndex = this.row === this.list.current ? 0 : -1;
    undo.addEventListener("click", () => this.correct("none", term));
    this.undoHint = undo;
    return [make("span", { dir: "auto" }, `${SAYS.hinted[effect](term)}, ${SAYS.fromNext} `), undo];
  }

  tagChoice() {
    this.newTag.placeholder = SAYS.newTag;
    this.newTag.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) this.addTag(this.newTag.value.trim());
    });
    return make("fieldset", { class: "tags" }, make("legend", {}, SAYS.tags), this.newTag);
  }

  /** @param {string} tag */
  addTag(tag) {
    if (!tag) return;
    this.newTag.value = "";
    if (!this.row.tags.includes(tag)) this.changeTag(tag, true);
  }

  /**
   * Add or remove a tag. Sends only this change, because other editors may have changed other tags in the meantime.
   * @param {string} tag
   * @param {boolean} on
   */
  changeTag(tag, on) {
    const others = this.row.tags.filter((one) => one !== tag);
    if (on && others.length >= MOST_TAGS) {
      this.list.notify(SAYS.manyTags);
      this.showNotes();
      return;
    }
    this.row.showNotes({ tags: on ? [...others, tag] : others });
    this.list.showTags();
    this.list.outbox.add({ kind: "tagged", paper: this.row.paper.id, tag, on });
  }

  // Add a checkbox for each tag used in the list.
  offerTags() {
    for (const tag of this.list.tags) {
      if (this.tagBoxes.has(tag)) continue;
      const box = make("input", { type: "checkbox" });
      box.tabIndex = this.row === this.list.current ? 0 : -1;
      box.addEventListener("change", () => this.changeTag(tag, box.checked));
      this.tagBoxes.set(tag, box);
      this.newTag.before(make("label", {}, box, make("bdi", {}, tag)));
    }
  }

  noteField() {
    this.note = make("textarea", { rows: 2, maxlength: 10000, dir: "auto" });
    // A "change" event would also send a note that is already saved, and so overwrite another editor's newer note.
    this.note.addEventListener("blur", () => {
      this.finish();
      this.isTyped = false;
      this.showNotes();
    });
    this.note.addEventListener("input", () => {
      this.isTyped = true;
      this.stopWriting();
      this.writing = setTimeout(() => this.saveNote(), PAUSE);
    });
    return make("label", { class: "note" }, SAYS.note, this.note);
  }

  stopWriting() {
    if (this.writing !== null) clearTimeout(this.writing);
    this.writing = null;
  }

  saveNote() {
    this.stopWriting();
    if (!this.note || this.note.value === this.row.note) return;
    this.row.showNotes({ note: this.note.value });
    this.list.outbox.add({ kind: "noted", paper: this.row.paper.id, text: this.note.value });
  }

  // Save the note now if it has unsaved changes.
  finish() {
    if (this.writing !== null) this.saveNote();
  }

  showNotes() {
    if (this.list.given.tags) this.offerTags();
    for (const [tag, box] of this.tagBoxes) box.checked = this.row.tags.includes(tag);
    // Another editor's note doesn't replace a note that the user is typing.
    if (this.note && !this.isTyped) this.note.value = this.row.note;
  }
}
