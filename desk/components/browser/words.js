// All that the list says. What a reader sees stands here and nowhere else in the browser's part.

const WORDS = { yes: "relevant", maybe: "maybe", no: "not relevant", undecided: "undecided" };
const SIGNS = { yes: "✓", maybe: "?", no: "✗", undecided: "" };
const FILTERS = { all: "all", undecided: "undecided", yes: "relevant", maybe: "maybe", no: "no", drawn: "drawn" };
const ORDERS = { presort: "presort", received: "as received" };
const ACTIONS = {
  down: "next paper",
  up: "previous paper",
  relevant: "relevant, or not decided again",
  maybe: "maybe",
  no: "not relevant",
  undo: "undo my last decision",
  open: "open or close the paper",
  read: "read to here",
  search: "search in this list",
  back: "back to the list; close the paper",
  help: "show these keys",
};
const LIGHTS = { green: "Green:", red: "Red:" };
const KEY_NAMES = { " ": "space", ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };

const SAYS = {
  grid: "Papers to review",
  search: "search in this list",
  show: "show",
  order: "order",
  keys: "keys",
  keysTitle: "Keys",
  keysHint: "They act while a paper of the list is in focus: click one, or come to it with Tab.",
  close: "close",
  none: "No paper of this list is like that.",
  showAll: "show all",
  readTo: "you have read to here",
  panel: "How far you have come",
  readHere: "read to here",
  of: (n) => `of ${n}`,
  chance: "chance that all were seen",
  minutes: "time spent",
  unknown: "…",
  percent: (level) => `${level} %`,
  level: "your level",
  draw: "Ten at random from the rest",
  drawTells: "From below the place read to. What they hold tells how much is left, whatever the light says.",
  noLight: "no traffic light: in list order, it can't tell how far to read",
  chart: "score by place",
  chartTells: (readTo, n, redAt) =>
    `Scores from the first to the last paper: ${readTo} of ${n} read, ` +
    (redAt === null ? "red expected only at the end" : `red expected near paper ${redAt}`),
  noAuthor: "no author given",
  noAbstract: "no abstract",
  andMore: (n) => `and ${n} more`,
  score: (score) => `score ${score.toFixed(3)}`,
  open: (title) => `Open: ${title}`,
  opened: "open",
  closed: "closed",
  ask: (place, title) => `${place}. Relevant? ${title}`,
  details: (title) => `About: ${title}`,
  asking: "Looking up why it is here…",
  tags: "tags",
  newTag: "add a tag, then Enter",
  manyTags: "a paper can have at most 50 tags",
  note: "note",
  hasNote: "has a note",
  shown: (n) => (n === 1 ? "1 paper" : `${n} papers`),
  decided: (word, n) => `${WORDS[word]}, ${n} chosen`,
  undone: (word, n) => `undone: ${WORDS[word]}, ${n} chosen`,
  nothingToUndo: "nothing to undo",
  locked: "this issue has gone out: decisions can't be changed any more, notes and tags can",
  saved: "saved",
  saving: (n) => `saving ${n}…`,
  lost: (n) => `not connected: ${n === 1 ? "1 decision" : `${n} decisions`} kept here, sending again…`,
  lostIdle: "not connected: what you decide is kept here",
  back: "connected again",
  refused: (why) => `not saved: ${why}`,
  notKept: "this browser keeps nothing: leave the page open until all is saved",
};
