// All strings that the review list shows in the browser.

/** @import { Filter, Order, Label, TargetRecall } from "./messages.js" */

/** @type {Record<Label, string>} */
export const WORDS = { yes: "relevant", maybe: "maybe", no: "not relevant", undecided: "undecided" };
/** @type {Record<Label, string>} */
export const SIGNS = { yes: "✓", maybe: "?", no: "✗", undecided: "" };
/** @type {Record<Filter, string>} */
export const FILTERS = {
  all: "all",
  undecided: "undecided",
  yes: "relevant",
  maybe: "maybe",
  no: "no",
  drawn: "spot check",
};
/** @type {Record<Order, string>} */
export const ORDERS = { presort: "presort", list: "list order" };
export const ACTIONS = {
  down: "next paper",
  up: "previous paper",
  relevant: "relevant; press again to undo",
  maybe: "maybe",
  no: "not relevant",
  undo: "undo my last decision",
  open: "open or close the paper",
  read: "mark all papers down to here as read",
  undecided: "hide decided papers, or show all",
  check: "start the spot check, or return to the list",
  rerank: "re-rank the unread papers with my decisions",
  place: "return to my place",
  abstracts: "show or hide all abstracts",
  tag: "tag the paper",
  note: "write a note on the paper",
  search: "search this list",
  nextHit: "next search hit",
  previousHit: "previous search hit",
  back: "return to the list, close the paper, or clear the search",
  help: "show these keys",
};
/** @type {Record<string, string | undefined>} */
export const KEY_NAMES = { " ": "space", ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };

export const SAYS = {
  grid: "Papers to review",
  search: "search this list",
  show: "show",
  order: "order",
  tagged: "filter by tag",
  anyTag: "any tag",
  keys: "keys",
  undo: "undo",
  keysTitle: "Keys",
  keysHint: "Keys work while a paper in the list has the focus. Click a paper, or press Esc.",
  close: "close",
  none: "No paper matches.",
  showAll: "show all",
  readTo: "you have read up to here",
  readUpTo: (/** @type {number} */ n, /** @type {number} */ undecided, /** @type {number} */ below) =>
    `you have read up to here: ${n === 1 ? "1 paper" : `${n} papers`}` +
    (undecided ? `, ${undecided} without a decision` : "") + (below ? `, and ${below} below` : ""),
  readMeans: "A paper counts as read after you decide it or a paper below it, or mark it as read.",
  markRead: (/** @type {number} */ place) => `mark as read to paper ${place}`,
  skipped: (/** @type {number} */ n) =>
    n === 1
      ? "1 paper above does not count as read: it was never in view"
      : `${n} papers above do not count as read: not all were in view`,
  countSkipped: "count as read",
  countsSkipped: (/** @type {string} */ key) => `press ${key} to count them as read`,
  panel: "Reading progress",
  of: (/** @type {number} */ n) => `of ${n} read`,
  unknown: "…",
  facts: (
    /** @type {number} */ read,
    /** @type {number} */ n,
    /** @type {Record<Filter, number>} */ { yes, maybe },
    /** @type {string | undefined} */ left,
    /** @type {string} */ minutes,
  ) =>
    [
      `${read} of ${n} read`,
      `${yes} relevant`,
      `${maybe} maybe`,
      left,
      minutes && `time spent ${minutes}`,
    ]
      .filter(Boolean)
      .join(" · "),
  stopTitle: "When to stop",
  targetRecall: "Target recall over many lists",
  /** @type {Record<TargetRecall, string>} */
  targetRecalls: {
    "1 in 10": "90 %",
    "1 in 20": "95 %",
    "1 in 100": "99 %",
    none: "all, in 95 % of lists",
  },
  howSure: "How certain is this?",
  publish: "Publish",
  checkTells: "A spot check draws a few papers at random from below the stop point. " +
    "It shows whether relevant papers were ranked too low. " +
    "The result improves the stop advice for this list and later ones.",
  checkLeft: (/** @type {number} */ n, /** @type {number} */ of) =>
    `Spot check: ${n} of ${of === 1 ? "1 paper" : `${of} papers`} left to decide`,
  checkRest: (/** @type {number} */ n) => (n === 1 ? "Mark it as not relevant" : `Mark these ${n} as not relevant`),
  checkContinue: "Continue",
  checkShow: "Show the drawn papers",
  checkBack: "Back to the list",
  noCheck: "a spot check is available once you reach the stop point",
  noStopAdvice: "in list order: no stop advice",
  chart: "score of each paper, first to last",
  chartTells: (/** @type {number} */ readTo, /** @type {number} */ n, /** @type {number | null} */ stopAt) =>
    `Scores from the first to the last paper: ${readTo} of ${n} read, ` +
    (stopAt === null ? "read to the end" : `stop near paper ${stopAt}`),
  rerank: (/** @type {number} */ n) =>
    "Re-rank unread papers" + (n === 0 ? "" : ` with ${n === 1 ? "1 new decision" : `${n} new decisions`}`),
  toPlace: (/** @type {number} */ place) => `Back to paper ${place}`,
  toPlaceShort: (/** @type {number} */ place) => `↩ ${place}`,
  rerankShort: (/** @type {number} */ n) => n ? `Re-rank (${n})` : "Re-rank",
  undoRerankShort: "Undo re-rank",
  find: "search",
  toStart: "Back to my place",
  atPlace: (/** @type {number} */ place) => `back at paper ${place}`,
  abstracts: "abstracts",
  reranking: "Re-ranking…",
  reranked: (/** @type {number} */ n) =>
    `Re-ranked the unread papers with ${n === 1 ? "1 decision" : `${n} decisions`}. Read papers kept their places.`,
  undoRerank: (/** @type {number} */ n) => `Undo re-ranking (${n})`,
  firstOrder: "Original ranking restored",
  rerankedBy: (/** @type {string} */ person) => `${person} re-ranked this list · Show`,
  noRerank: "Papers in list order can't be re-ranked",
  nothingToRerankBy: "Mark a paper as relevant first: unread papers are re-ranked by similarity to relevant papers",
  nothingNew: "No new decisions since the last re-ranking",
  notConnected: "Not connected: the list was not re-ranked",
  noAuthor: "no author given",
  noAbstract: "no abstract",
  andMore: (/** @type {number} */ n) => `and ${n} more`,
  score: (/** @type {number} */ score) => `ranking score ${score.toFixed(3)} (higher means more likely relevant)`,
  open: (/** @type {string} */ title) => `Open: ${title}`,
  opened: "open",
  closed: "closed",
  decide: "relevant?",
  ask: (/** @type {number} */ place, /** @type {string} */ title) => `${place}. Relevant? ${title}`,
  details: (/** @type {string} */ title) => `About: ${title}`,
  asking: "Loading the explanation…",
  figures: "share of each reason",
  correct: "mute or boost…",
  /** @type {Record<"mute" | "boost", string>} */
  effects: { mute: "mute", boost: "boost" },
  /** @type {Record<"mute" | "boost", string>} */
  effectOf: {
    mute: "the next ranking ignores the term",
    boost: "the next ranking moves papers with the term up",
  },
  hinted: {
    mute: (/** @type {string} */ term) => `muted: ${term}`,
    boost: (/** @type {string} */ term) => `boosted: ${term}`,
    none: (/** @type {string} */ term) => `no longer muted or boosted: ${term}`,
  },
  fromNext: "starting with the next ranking",
  tags: "tags",
  newTag: "add a tag, then press Enter",
  manyTags: "a paper can have at most 50 tags",
  note: "note",
  hasNote: "has a note",
  hits: (/** @type {number} */ n) => n === 1 ? "1 hit" : `${n} hits`,
  marked: (/** @type {number} */ n, /** @type {string} */ query) => `${n} highlighted: “${query}”`,
  noMoreHits: "no more hits in this direction",
  shown: (/** @type {number} */ n) => (n === 1 ? "1 paper" : `${n} papers`),
  decided: (/** @type {Label} */ word, /** @type {number} */ n) => `${WORDS[word]}, total relevant: ${n}`,
  undone: (/** @type {Label} */ word, /** @type {number} */ n) => `undone: now ${WORDS[word]}, total relevant: ${n}`,
  nothingToUndo: "nothing to undo since this page was opened",
  locked: "this issue is published: notes and tags can be changed, decisions can't",
  saved: "saved",
  saving: (/** @type {number} */ n) => `saving ${n}…`,
  lost: (/** @type {number} */ n) =>
    `not connected: ${n === 1 ? "1 decision" : `${n} decisions`} stored in this browser, retrying…`,
  lostIdle: "not connected: your decisions are stored in this browser",
  back: "connected again",
  trouble: (/** @type {string} */ why) => `not saved yet, stored in this browser, retrying: ${why}`,
  refused: (/** @type {string} */ why) => `not saved: ${why}`,
  notKept: "this browser can't store decisions: leave the page open until everything is saved",
};
