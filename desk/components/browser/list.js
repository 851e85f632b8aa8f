// Review list: the papers that match the filters and their order, the current paper, clicks, and responses from the
// server.

import { Actions } from "./actions.js";
import { Bar } from "./bar.js";
import { Decisions } from "./decisions.js";
import { entriesOf, focusedBeside, make, targetOf } from "./elements.js";
import { Head } from "./head.js";
import { Help } from "./help.js";
import { bringFocusHome } from "./home.js";
import { Keys } from "./keys.js";
import { Lines } from "./lines.js";
import { hitsOf, NOTHING, patternOf } from "./marks.js";
import { Outbox } from "./outbox.js";
import { Place } from "./place.js";
import { Row } from "./row.js";
import { Seen } from "./seen.js";
import { SpotCheck } from "./spot_check.js";
import { Ordering } from "./ordering.js";
import { SAYS } from "./words.js";
/** @import { Undone } from "./decisions.js" */
/** @import { Effect, Filter, Order, RerankingView, ReviewResponse, Label } from "./messages.js" */
/** @import { Given } from "./mount.js" */
/** @import { KeptEntry } from "./outbox.js" */
/** @import { KeptPlace } from "./place.js" */
/** @import { Detour } from "./spot_check.js" */

const MARKED_AFTER = 120; // milliseconds after the last key press until search hits are highlighted
const WRITTEN_AT_ONCE = 40; // number of rows to write before the browser may handle events
const ABOVE = 20; // number of rows above the current row to write first, because they may be visible
const NOTED = 4000; // milliseconds for which a short message is shown
const LONGEST_QUESTION = 60_000; // milliseconds of fast polling for an explanation before normal polling resumes

/** @typedef {{ order: Order, filter: Filter, query: string, tag: string }} Look Order and filters of the list. */

/**
 * State that survives a rebuild of the list.
 * @typedef {object} View
 * @property {number[]} order Order with which the list was built.
 * @property {number | null} ranking Number of the ranking with which the list was built.
 * @property {RerankingView | null} reranking
 * @property {Undone[]} undone
 * @property {Set<string>} seen Ids of the papers that the editor has seen.
 * @property {Set<string>} drawn
 * @property {Look} look
 * @property {string | undefined} paper Id of the current paper.
 * @property {Detour | undefined} checkFrom
 * @property {KeptPlace | null} kept
 * @property {boolean} hasAbstracts
 */

export class ReviewList {
  /**
   * @param {HTMLElement | ShadowRoot} root
   * @param {Given} given
   * @param {Partial<View>} [view]
   */
  constructor(root, given, view = {}) {
    this.given = given;
    this.pattern = patternOf(given.marked);
    this.rows = given.papers.map((paper) => new Row(paper, this));
    this.rowOf = new Map(this.rows.map((row) => [row.paper.id, row]));
    // True if this order is shown for the first time. The numbers of the rankings are also compared, because a new
    // ranking may have the same order as the previous one, but it has no re-ranked orders yet.
    this.isNew = view.ranking !== given.ranking || String(view.order) !== String(given.order);
    this.ordering = new Ordering(this, this.isNew ? given.reranking : (view.reranking ?? null));
    /** @type {Record<Order, Row[]>} */
    this.orders = { list: this.rows, presort: this.ordering.rows };
    /** @type {Order} */
    this.firstOrder = given.order.length ? "presort" : "list";
    this.tags = new Set(given.tags ?? []);
    this.curiousUntil = 0;
    /** @type {Row[]} */
    this.inOrder = []; // all rows, in the current order
    /** @type {Row[]} */
    this.shown = []; // rows that match the filters
    /** @type {Row | undefined} */
    this.current = undefined; // the row on which keys act
    /** @type {Row | undefined} */
    this.last = undefined; // the row that was last current, even if it is hidden now
    this.looked = this.firstLook;
    this.place = new Place(this, this.isNew ? null : view.kept);
    this.hasAbstracts = view.hasAbstracts ?? false;
    this.isSynced = false; // true after the first response
    /** @type {number | undefined} */
    this.writing = undefined; // timers
    /** @type {number | undefined} */
    this.noting = undefined;
    this.stop = new AbortController();
    /** @type {Set<Row>} */
    this.hits = new Set(); // rows found by the last search
    this.sought = ""; // query of the last search
    /** @type {Map<string, Effect>} */
    this.hints = new Map(); // effect of each term muted or boosted in this list
    this.drawn = view.drawn ?? new Set(); // all papers drawn for spot checks; decisions on them are not reading progress
    this.outbox = new Outbox(given.key, {
      onResponse: (response, news) => this.take(response, news),
      onState: (state) => this.bar.showState(state),
      onOrderRefused: (why) => this.ordering.refuse(why),
      isCurious: () => performance.now() < this.curiousUntil && this.rows.some((row) => row.isOpen && !row.answer),
    });
    this.outbox.reranking = this.ordering.number;
    this.decisions = new Decisions(this, view.undone);
    this.seen = new Seen(this.rows, view.seen);
    this.lines = new Lines(this);
    this.grid = make("div", { role: "grid", class: "grid", "aria-label": SAYS.grid });
    this.grid.addEventListener("click", (event) => this.click(event));
    this.grid.addEventListener("focusin", (event) => this.setCurrent(this.rowAt(targetOf(event)) ?? this.current));
    this.live = make("div", { class: "unseen", role: "status" });
    this.news = make("div", { class: "unseen news", role: "status" });
    this.note = make("div", { class: "passing-note", "aria-hidden": true, hidden: "" });
    this.bar = new Bar(this);
    this.head = new Head(this, this.bar);
    this.spotCheck = new SpotCheck(this, view.checkFrom);
    this.actions = new Actions(this);
    this.keysShown = new Help(this);
    this.none = this.noneShown();
    this.element = make("div", { class: given.isLocked ? "list locked" : "list" });
    const over = [this.keysShown.element, this.bar.stop.element];
    this.element.append(this.head.element, this.grid, this.none, this.live, this.news, this.note, ...over);
    this.keys = new Keys(this, this.element);
    this.decisions.show(this.outbox.labels());
    const { order: _, ...sought } = /** @type {Partial<Look>} */ (view.look ?? {});
    this.look({ ...this.firstLook, ...(view.order?.length ? view.look : sought) }); // a list that was just ranked opens in the new order
    if (!this.isNew) this.setCurrent(this.rowOf.get(view.paper ?? "") ?? this.current);
    this.writeFrom(this.current);
    if (this.looked.query) this.seek(this.looked.query);
    root.append(this.element);
    this.listen();
    this.outbox.open();
    if (isFree(document.activeElement)) this.focus(this.current, { preventScroll: true });
  }

  listen() {
    const { signal } = this.stop;
    document.addEventListener("keydown", (event) => this.keys.take(event), { signal });
    const observer = new ResizeObserver(() => {
      this.grid.style.setProperty("--head", `${this.head.element.offsetHeight}px`);
    });
    observer.observe(this.head.element);
    signal.addEventListener("abort", () => observer.disconnect());
    bringFocusHome(this, signal);
  }

  noneShown() {
    const all = make("button", { type: "button" }, SAYS.showAll);
    all.addEventListener("click", () => this.showAll());
    return make("p", { class: "none", hidden: "" }, `${SAYS.none} `, all);
  }

  /** @returns {View} */
  get view() {
    const { order, ranking } = this.given;
    const { undone } = this.decisions;
    const { papers: seen } = this.seen;
    const { drawn, looked: look, spotCheck } = this;
    const { reranking } = this.ordering;
    const { kept } = this.place;
    const { hasAbstracts, current } = this;
    const at = { paper: current?.paper.id, checkFrom: spotCheck.from, kept };
    return { order, ranking, reranking, undone, seen, drawn, look, hasAbstracts, ...at };
  }

  /** @returns {Look} */
  get firstLook() {
    return { order: this.firstOrder, filter: "all", query: "", tag: "" };
  }

  /** @param {Look} look */
  isShown(look) {
    return entriesOf(look).every(([name, value]) => this.looked[name] === value);
  }

  // True if a dialog of the list is open.
  get isCovered() {
    return this.keysShown.element.open || this.bar.stop.element.open;
  }

  // True if some undecided papers are hidden. In that case, the papers above a decision don't count as read.
  get isCut() {
    const { filter, query, tag } = this.looked;
    return Boolean(query || tag) || !["all", "undecided"].includes(filter);
  }

  close() {
    for (const { details } of this.rows) details?.finish();
    this.outbox.close();
    this.seen.close();
    this.stop.abort();
    clearTimeout(this.writing);
    clearTimeout(this.noting);
    this.element.remove();
  }

  // ---- papers shown

  /** @param {Partial<Look>} change */
  look(change) {
    if (this.place.isAway({ ...this.looked, ...change })) this.place.keep();
    this.looked = { ...this.looked, ...change };
    const { order, filter, query, tag } = this.looked;
    const isMoved = this.inOrder !== this.orders[order];
    this.inOrder = this.orders[order];
    if (isMoved) {
      const shares = order === "presort" ? this.ordering.shares : this.inOrder.map((row) => row.paper.share);
      this.inOrder.forEach((row, n) => row.showPlace(n + 1, shares[n]));
      this.grid.replaceChildren(...this.inOrder.map((row) => row.element));
    }
    const parts = this.partsOf(query);
    this.shown = this.inOrder.filter((row) => this.isLike(row, filter, parts, tag));
    const shown = new Set(this.shown);
    for (const row of this.inOrder) row.element.hidden = !shown.has(row);
    this.shown.forEach((row, n) => row.element.setAttribute("aria-rowindex", String(n + 1)));
    this.grid.setAttribute("aria-rowcount", String(this.shown.length));
    this.none.hidden = this.shown.length > 0;
    this.head.filters.press(filter);
    this.head.orders.press(order);
    this.showTags();
    this.head.showHits(this.sought, this.hits.size, { isAlone: parts.length > 0 });
    if (this.head.search.value !== query) this.head.search.value = query;
    this.current?.setCurrent(false);
    this.current = this.last && shown.has(this.last) ? this.last : this.nearest();
    this.current?.setCurrent(true);
    this.drawProgress();
    this.reportLook();
    // Always scroll to the first hit of a search.
    (change.query ? this.shown[0] : this.current)?.element.scrollIntoView({ block: "nearest" });
    if (parts.length) this.announce(SAYS.shown(this.shown.length));
  }

  showAll() {
    this.look({ filter: "all", query: "", tag: "" });
  }

  /**
   * Search the list and show the papers that contain all words. When the editor returns to the whole list, the hits
   * stay highlighted and keys move from hit to hit.
   * @param {string} query
   */
  seek(query) {
    const parts = this.partsOf(query);
    this.hits = new Set(parts.length ? this.rows.filter((row) => this.isLike(row, "all", parts)) : []);
    this.sought = parts.length ? query.trim() : "";
    this.look({ query });
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.write(parts.join("\n"), hitsOf(parts), [...this.inOrder]), MARKED_AFTER);
  }

  /**
   * Write the titles and abstracts of all rows, starting with the visible rows.
   * @param {Row | undefined} row
   */
  writeFrom(row) {
    const first = Math.max(0, (row ? this.shown.indexOf(row) : 0) - ABOVE);
    const rows = new Set([...this.shown.slice(first), ...this.shown, ...this.inOrder]);
    this.write("", NOTHING, [...rows]);
  }

  /**
   * Write titles and abstracts with highlighted hits, a few rows at a time. Writing all rows at once would block typing.
   * @param {string} query
   * @param {RegExp} hits
   * @param {Row[]} rows
   */
  write(query, hits, rows) {
    for (let n = 0; n < WRITTEN_AT_ONCE && rows.length;) {
      const row = rows.shift();
      if (row?.showTexts(row && this.hits.has(row) ? query : "", hits)) n += 1;
    }
    if (rows.length) this.writing = setTimeout(() => this.write(query, hits, rows));
  }

  /** @param {number} by */
  stepToHit(by) {
    const { place } = this.current ?? { place: 0 };
    const places = this.shown.filter((row) => this.hits.has(row) && (row.place - place) * by > 0);
    const next = by > 0 ? places[0] : places.at(-1);
    if (next) {
      this.place.keep();
      this.focus(next);
      this.place.draw();
    } else this.notify(SAYS.noMoreHits);
  }

  /**
   * @param {Row} row
   * @param {Filter} filter
   * @param {string[]} parts
   * @param {string} [tag]
   */
  isLike(row, filter, parts, tag = "") {
    if (tag && !row.tags.includes(tag)) return false;
    if (filter === "drawn" ? !this.drawn.has(row.paper.id) : filter !== "all" && row.label !== filter) return false;
    return parts.every((part) => row.searched.includes(part));
  }

  /**
   * Split a query into parts. A paper matches if it contains all parts. Several words form one phrase if any paper
   * contains that phrase, and otherwise each word is a part. A quoted string is always a phrase. `desk/export/rows.py`
   * must follow the same rules.
   * @param {string} query
   */
  partsOf(query) {
    const parts = partsOfQuery(query);
    const phrase = parts.join(" ");
    const isPhrase = parts.length > 1 && !/["“”„]/.test(query) &&
      this.rows.some((row) => row.searched.includes(phrase));
    return isPhrase ? [phrase] : parts;
  }

  reportLook() {
    if (this.isSynced) this.outbox.add({ kind: "looked", ...this.looked });
  }

  drawProgress() {
    this.decisions.draw();
    this.lines.draw();
    this.bar.draw();
    this.spotCheck.draw();
    this.place.draw();
  }

  /** @param {boolean} hasAbstracts True to show every paper's full abstract. */
  showAbstracts(hasAbstracts) {
    const { current } = this;
    const top = current?.element.getBoundingClientRect().top ?? 0;
    this.hasAbstracts = hasAbstracts;
    this.element.classList.toggle("abstracts", hasAbstracts);
    this.head.abstracts.setAttribute("aria-pressed", String(hasAbstracts));
    for (const row of this.rows) row.sought = null; // forces all titles and abstracts to be rewritten
    this.seek(this.looked.query);
    if (current) scrollerOf(this.grid).scrollBy(0, current.element.getBoundingClientRect().top - top);
  }

  // Nearest matching row below the row that was last current, or else the last matching row. It is used when the
  // current paper is hidden.
  nearest() {
    return this.shown.find((row) => row.place > (this.last?.place ?? 0)) ?? this.shown.at(-1);
  }

  /**
   * Offer new tags in the details of every paper.
   * @param {string[]} tags
   */
  offerTags(tags) {
    if (tags.every((tag) => this.tags.has(tag))) return;
    for (const tag of tags) this.tags.add(tag);
    for (const row of this.rows) row.details?.showNotes();
  }

  showTags() {
    this.head.showTags(this.rows, this.looked.tag);
  }

  /** @param {string} text */
  announce(text) {
    this.live.textContent = text;
  }

  /**
   * Announce news to screen readers without replacing the announcement of the last key.
   * @param {string} text
   */
  announceNews(text) {
    this.news.textContent = text;
  }

  /**
   * Show and announce a short message, such as the reason why an action has no effect.
   * @param {string} text
   */
  notify(text) {
    this.announce(text);
    this.note.textContent = text;
    this.note.hidden = false;
    clearTimeout(this.noting);
    this.noting = setTimeout(() => (this.note.hidden = true), NOTED);
  }

  // ---- the current paper

  /** @param {Element} element */
  rowAt(element) {
    const found = element.closest(".row");
    return this.shown.find((row) => row.element === found);
  }

  /** @param {Row | undefined} row */
  setCurrent(row) {
    this.last = row ?? this.last;
    if (row === this.current) return;
    this.current?.setCurrent(false);
    this.current = row;
    row?.setCurrent(true);
    if (row) this.seen.add(row);
    this.place?.draw();
    this.lines.drawMark();
  }

  /**
   * @param {Row | undefined} row
   * @param {FocusOptions} [options]
   */
  focus(row, options = {}) {
    if (!row) return;
    this.setCurrent(row);
    row.sign.focus({ preventScroll: true });
    if (options.preventScroll) return;
    // `nearest` would show the end of an open paper that is taller than the window, and hide its title.
    const isTall = row.element.offsetHeight > innerHeight / 2;
    row.element.scrollIntoView({ block: isTall ? "start" : "nearest" });
  }

  /** @param {number} by */
  step(by) {
    const next = this.current && this.shown[this.shown.indexOf(this.current) + by];
    if (next) this.focus(next);
  }

  // ---- clicks

  /** @param {Event} event */
  click(event) {
    const target = targetOf(event);
    const row = this.rowAt(target);
    if (!row || target.closest("a, input, textarea, label, .details, .read-line, .skipped-line, .check-line")) return;
    this.focus(row, { preventScroll: true });
    if (target.closest(".decision")) {
      this.say(row, /** @type {Label | null} */ (target.getAttribute("data-says")) ?? undefined);
    } else if (target.closest(".opener") || !selectionIn(this.element)) this.toggle(row);
  }

  /**
   * Decide a paper with one of its buttons. Clicking the pressed button resets the paper to undecided.
   * @param {Row} row
   * @param {Label} [label]
   */
  say(row, label = "yes") {
    this.decisions.decide(row, row.label === label ? "undecided" : label);
  }

  /** @param {Row} row */
  toggle(row) {
    if (row.isOpen) row.close();
    else {
      row.open();
      if (this.given.hasAnswers && !row.answer) this.ask(row);
    }
    row.setCurrent(row === this.current);
    this.announce(row.isOpen ? SAYS.opened : SAYS.closed);
  }

  /** @param {Row} row */
  ask(row) {
    this.curiousUntil = performance.now() + LONGEST_QUESTION;
    this.outbox.add({ kind: "explain", paper: row.paper.id });
  }

  // ---- responses from the server

  /**
   * @param {ReviewResponse} response
   * @param {{ isNews: boolean, saved: KeptEntry[] }} context
   */
  take(response, { isNews, saved }) {
    const decided = saved.filter((entry) => entry.kind === "decided");
    this.decisions.learn(decided.map((entry) => [entry.paper, entry.label]));
    const isFirst = isNews && !this.isSynced;
    const isAsked = saved.some((entry) => ["rerank", "undoRerank", "showNewestOrder"].includes(entry.kind));
    this.ordering.learn(response, { isAsked });
    if (isNews) this.learn(response);
    for (const [paper, sections] of Object.entries(response.answers)) this.rowOf.get(paper)?.showAnswer(sections);
    this.decisions.show(this.outbox.labels(), this.isSynced);
    this.isSynced ||= isNews;
    if (isNews) this.learnDrawn(response, { isAsked: saved.some((entry) => entry.kind === "draw") });
    // The server may have lost the filters in a restart, or may still have the filters of a closed list.
    if (response.n === null && !this.isShown(response.looked ?? this.firstLook)) this.reportLook();
    this.drawProgress();
    if (isFirst && this.isNew) this.goOn();
  }

  // Scroll to the first unread paper unless the editor has already moved.
  goOn() {
    const row = this.lines.firstUnread;
    if (!row || this.current !== this.shown[0] || !this.shown.includes(row) || row === this.current) return;
    const isHere = this.element.contains(focusedBeside(this.element));
    if (isHere) this.focus(row, { preventScroll: true });
    else this.setCurrent(row);
    row.element.scrollIntoView({ block: "center" });
  }

  /** @param {ReviewResponse} response */
  learn(response) {
    this.decisions.learn(Object.entries(response.labels));
    // Unsaved entries are newer than the server's state.
    for (const [paper, tags] of Object.entries(response.tags)) {
      if (!this.outbox.holds("tagged", paper)) this.rowOf.get(paper)?.showNotes({ tags });
    }
    for (const [paper, note] of Object.entries(response.notes)) {
      if (!this.outbox.holds("noted", paper)) this.rowOf.get(paper)?.showNotes({ note });
    }
    if (Object.keys(response.tags).length) this.showTags();
    if ((response.reranking?.number ?? null) !== this.ordering.number) return; // the response's positions refer to another order
    this.lines.learn(response);
    this.spotCheck.learn(response);
    this.bar.learn(response);
  }

  /**
   * Show the same papers in another order. The editor stays at the same position in the list and in the window.
   * @param {Row[]} rows
   */
  showOrder(rows) {
    const { current, grid } = this;
    const isShown = this.looked.order === "presort";
    const top = current?.element.getBoundingClientRect().top;
    const isHere = grid.contains(focusedBeside(grid));
    this.place.move(this.orders.presort, rows);
    this.orders.presort = rows;
    if (!isShown) return;
    if (current) this.last = rows[current.place - 1];
    this.look({});
    this.writeFrom(this.current);
    if (top !== undefined && this.current) {
      scrollerOf(grid).scrollBy(0, this.current.element.getBoundingClientRect().top - top);
    }
    if (isHere) this.focus(this.current, { preventScroll: true });
  }

  /**
   * Show the papers of a spot check as soon as they are drawn.
   * @param {ReviewResponse} response
   * @param {{ isAsked: boolean }} options
   */
  learnDrawn({ drawn }, { isAsked }) {
    const isOther = this.drawn.size !== drawn.length;
    this.drawn = new Set(drawn);
    if (!isOther) return;
    this.drawProgress();
    if (isAsked) {
      this.bar.stop.element.close();
      this.spotCheck.open();
    }
  }
}

/**
 * Split a query into words and quoted phrases.
 * @param {string} query
 */
function partsOfQuery(query) {
  const found = query.toLowerCase().matchAll(/["“„]([^"“”„]*)["“”]?|[^\s"“”„]+/g);
  return [...found].map(([all, phrase]) => (phrase ?? all).trim().replace(/\s+/g, " ")).filter(Boolean);
}

/**
 * Return true if the list may take the focus, which is the case if no element or a closed select box has the focus.
 * @param {Element | null} element
 */
function isFree(element) {
  return element === document.body || Boolean(element?.matches("[role=combobox][aria-expanded=false]"));
}

/**
 * Return the nearest scrollable ancestor of an element. Defaults to the document.
 * @param {Element} element
 * @returns {Element}
 */
function scrollerOf(element) {
  const root = element.getRootNode();
  let one = element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  while (one && !(one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY))) {
    const tree = one.getRootNode();
    one = one.parentElement ?? (tree instanceof ShadowRoot ? tree.host : null);
  }
  return one ?? document.documentElement;
}

/**
 * Return the selected text. It is needed because a click that ends a selection must not open the paper. Chromium has a
 * separate selection for each shadow tree.
 * @param {Element} element
 */
function selectionIn(element) {
  const root = /** @type {Node & { getSelection?: () => Selection | null }} */ (element.getRootNode());
  return String((root.getSelection?.() ?? getSelection()) || "");
}
