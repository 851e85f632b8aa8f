// Row of the list: one paper.

import { Details, FIRST_AUTHORS, labelButton } from "./details.js";
import { childrenOf, entriesOf, make } from "./elements.js";
import { NOTHING, showText } from "./marks.js";
import { seenOf } from "./mathml.js";
import { SAYS, SIGNS, WORDS } from "./words.js";
/** @import { ReviewList } from "./list.js" */
/** @import { TextLook } from "./marks.js" */
/** @import { Effect, FieldName, Section, Span, Label } from "./messages.js" */
/** @import { ScoredPaper } from "./mount.js" */

const NARROW = "(max-width: 640px)"; // must match review_list.css
const FIRST_OF_ABSTRACT = 300; // number of characters of the abstract shown in the row
const BEFORE_FOUND = { wide: 40, narrow: 12 }; // characters shown before the first hit
/** @type {Partial<Record<Label, string>>} */
const PRESSED = { yes: "true", maybe: "mixed" };

const ROW = make(
  "div",
  { role: "row", class: "row" },
  make("div", { role: "gridcell", class: "place" }, make("span", { class: "number" }), make("span", { class: "bar" })),
  make(
    "div",
    { role: "gridcell", class: "decision" },
    make("button", { class: "sign", type: "button", tabindex: -1 }),
    labelButton("maybe", "other", SIGNS.maybe),
    labelButton("no", "other", SIGNS.no),
  ),
  make(
    "div",
    { role: "gridcell", class: "text" },
    make("div", { class: "title", dir: "auto" }),
    make("div", { class: "authors", dir: "auto" }),
    make("div", { class: "line", dir: "auto" }),
  ),
  make(
    "div",
    { role: "gridcell", class: "aside" },
    make("span", { class: "codes" }),
    make("span", { class: "labels", dir: "auto" }),
    make("span", { class: "pen" }),
    make("button", { class: "opener", type: "button", tabindex: -1, "aria-expanded": "false" }),
  ),
);

export class Row {
  /**
   * @param {ScoredPaper} paper
   * @param {ReviewList} list
   */
  constructor(paper, list) {
    this.paper = paper;
    this.list = list;
    this.place = 0; // 1-based position in the current order
    /** @type {Label} */
    this.label = "undecided";
    /** @type {string[]} */
    this.tags = [];
    this.note = "";
    /** @type {Section[] | null} */
    this.answer = null;
    /** @type {{ effect: Effect, term: string } | null} */
    this.hinted = null; // term that was last muted or boosted in this paper; remains after the paper is closed
    /** @type {Details | null} */
    this.details = null;
    /** @type {string | null} */
    this.sought = null; // query that is highlighted in the title and abstract; null until they are written
    this.hits = NOTHING;
    /** @type {string | null} */
    this.all = null; // cache of `searched`
    this.element = /** @type {HTMLElement} */ (ROW.cloneNode(true));
    const [place, decision, text, aside] = childrenOf(this.element);
    const [number, bar] = childrenOf(place);
    const [sign, ...others] = childrenOf(decision);
    const [title, authors, line] = childrenOf(text);
    const [codes, labels, pen, opener] = childrenOf(aside);
    this.number = number;
    this.bar = bar;
    this.sign = sign;
    this.others = others;
    this.title = title;
    this.line = line;
    this.labels = labels;
    this.pen = pen;
    this.opener = opener;
    authors.textContent = shortened(paper.authors);
    codes.textContent = paper.codes.slice(0, 4).join(" ");
    this.opener.setAttribute("aria-label", SAYS.open(this.name));
    if (list.given.isLocked) { for (const button of decision.children) button.setAttribute("aria-disabled", "true"); }
    this.bar.hidden = paper.score === undefined;
    this.showLabel("undecided");
  }

  // Title for screen readers, in which rendered characters replace the source of formulas.
  get name() {
    const { title, formulas } = this.paper;
    return formulas?.title ? seenOf(title, formulas.title, this.list.given.trees) : title;
  }

  // All searchable text in lower case, one part per line. It is cached because a search reads it on every key press.
  get searched() {
    const { id, title, authors, abstract, formulas = {} } = this.paper;
    const asSeen = entriesOf(formulas).map(([field, spans]) => seenOf(this.paper[field], spans, this.list.given.trees));
    const parts = [title, ...authors, abstract, ...asSeen, id, ...this.tags];
    return (this.all ??= parts.map((part) => part.replace(/\s+/g, " ")).join("\n").toLowerCase());
  }

  /**
   * Write the title and the abstract with highlighted hits. The abstract starts near its first hit. Returns false if
   * they have already been written for this query.
   * @param {string} query
   * @param {RegExp} hits
   */
  showTexts(query, hits) {
    if (query === this.sought) return false;
    this.sought = query;
    this.hits = hits;
    const { title, abstract } = this.paper;
    showText(this.title, title, this.shownAs("title"));
    const found = query ? abstract.search(hits) : 0;
    const before = matchMedia(NARROW).matches ? BEFORE_FOUND.narrow : BEFORE_FOUND.wide;
    const start = found > before && !this.list.hasAbstracts ? abstract.lastIndexOf(" ", found - before) + 1 : 0;
    const dots = start ? "… " : "";
    const text = this.list.hasAbstracts ? abstract : abstract.slice(start, start + FIRST_OF_ABSTRACT);
    showText(this.line, dots + text || SAYS.noAbstract, this.shownAs("abstract", start, text.length, dots.length));
    this.details?.showAbstract();
    return true;
  }

  /**
   * Return the highlights and formulas in a part of a field. `before` is the number of characters shown before it.
   * @param {FieldName} field
   * @param {number} [start]
   * @param {number} [length]
   * @param {number} [before]
   * @returns {TextLook}
   */
  shownAs(field, start = 0, length = Infinity, before = 0) {
    const { pattern, given } = this.list;
    const all = this.paper.formulas?.[field] ?? [];
    const spans = all.filter(([from, to]) => from >= start && to <= start + length);
    /** @type {Span[]} */
    const moved = spans.map(([from, to]) => [from - start + before, to - start + before]);
    return { pattern, hits: this.hits, spans: moved, trees: given.trees };
  }

  /**
   * @param {number} place
   * @param {number} share Score at this position, scaled from 0 to 1 over all scores.
   */
  showPlace(place, share) {
    this.place = place;
    this.bar.style.setProperty("--share", String(share));
    this.number.textContent = String(place);
    this.sign.setAttribute("aria-label", SAYS.ask(place, this.name));
  }

  /** @param {Label} label */
  showLabel(label) {
    this.label = label;
    this.element.dataset.label = label;
    this.sign.textContent = SIGNS[label];
    this.sign.setAttribute("aria-pressed", PRESSED[label] ?? "false");
    if (label === "no" || label === "maybe") this.sign.setAttribute("aria-description", WORDS[label]);
    else this.sign.removeAttribute("aria-description");
    for (const button of this.others) button.setAttribute("aria-pressed", String(button.dataset.says === label));
    this.details?.showLabel();
  }

  /** @param {{ tags?: string[], note?: string }} notes */
  showNotes({ tags = this.tags, note = this.note }) {
    this.tags = tags;
    this.all = null; // clear the cache, because tags are searchable
    this.note = note;
    this.labels.textContent = tags.join(" · ");
    this.pen.textContent = note && "✎";
    if (note) this.pen.title = SAYS.hasNote;
    this.list.offerTags(tags);
    this.details?.showNotes();
  }

  /** @param {Section[]} sections */
  showAnswer(sections) {
    this.answer = sections;
    this.details?.showAnswer();
  }

  /**
   * Set whether this is the current row. The Tab key reaches only the controls of the current row.
   * @param {boolean} isCurrent
   */
  setCurrent(isCurrent) {
    this.element.classList.toggle("current", isCurrent);
    const inside = this.element.querySelectorAll("button, a, input, textarea, select, summary, .details");
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (inside)) {
      element.tabIndex = isCurrent ? 0 : -1;
    }
  }

  get isOpen() {
    return this.details !== null;
  }

  open() {
    this.details = new Details(this);
    this.element.append(this.details.element);
    this.element.classList.add("open");
    this.opener.setAttribute("aria-expanded", "true");
  }

  close() {
    this.details?.finish();
    this.details?.element.remove();
    this.details = null;
    this.element.classList.remove("open");
    this.opener.setAttribute("aria-expanded", "false");
  }

  flash() {
    this.element.classList.remove("news");
    void this.element.offsetWidth; // forces a layout, which restarts the animation
    this.element.classList.add("news");
  }
}

/** @param {string[]} authors */
function shortened(authors) {
  if (!authors.length) return SAYS.noAuthor;
  const more = authors.length - FIRST_AUTHORS;
  if (more < 2) return authors.join("; ");
  return `${authors.slice(0, FIRST_AUTHORS).join("; ")} ${SAYS.andMore(more)}`;
}
