// Types of the messages between the browser and the server. `messages.py` and `response.py` in the parent folder also
// define them, and a test checks that the definitions agree.

/** @typedef {"yes" | "maybe" | "no" | "undecided"} Label */
/** @typedef {"presort" | "list"} Order */
/** @typedef {"all" | "undecided" | "yes" | "maybe" | "no" | "drawn"} Filter */
/** @typedef {"mute" | "boost" | "none"} Effect */
/** @typedef {"1 in 10" | "1 in 20" | "1 in 100" | "none"} TargetRecall */

/**
 * Action of the editor.
 * @typedef {{ kind: "decided", paper: string, label: Label, order: Order, ranking: number | null,
 *     reranking: number | null, alone: boolean }
 *   | { kind: "read", paper: string, order: Order, ranking: number | null, reranking: number | null }
 *   | { kind: "tagged", paper: string, tag: string, on: boolean }
 *   | { kind: "noted", paper: string, text: string }
 *   | { kind: "explain", paper: string }
 *   | { kind: "miss", targetRecall: TargetRecall }
 *   | { kind: "draw" }
 *   | { kind: "rerank" }
 *   | { kind: "undoRerank" }
 *   | { kind: "showNewestOrder" }
 *   | { kind: "hinted", effect: Effect, term: string }
 *   | { kind: "looked", order: Order, filter: Filter, query: string, tag: string }
 *   | { kind: "leave" }} Entry
 */

/** @typedef {Entry["kind"]} Kind */

/**
 * Message to the server. `n` is its sequence number on the page, `seen` is `upTo` of the newest response, and
 * `reranking` is the number of the re-ranked order that the list shows.
 * @typedef {object} ReviewRequest
 * @property {number} n
 * @property {number | null} seen
 * @property {number | null} reranking
 * @property {(Entry & { id: string })[]} entries
 */

/** @typedef {{ place: number, sentence: string }} Rule */
/** @typedef {{ heading: string, lines: string[], terms?: string[], detail?: string[] }} Section */
/** @typedef {{ offer: string, says: string, left: number, detail: string }} SpotCheckView */

/**
 * Stop advice. `StopAdviceView` in Python describes the fields.
 * @typedef {object} StopAdviceView
 * @property {boolean} mayStop
 * @property {string} verdict
 * @property {string} says
 * @property {string} left
 * @property {number} stopAt
 * @property {TargetRecall} targetRecall
 * @property {string} basis
 * @property {{ targetRecall: TargetRecall, says: string }[]} stops
 */

/** @typedef {{ number: number, order: number[], labels: Record<string, Label>, person: string }} RerankingView */

/**
 * Response to a `ReviewRequest`. `ReviewResponse` in Python describes the fields. `n` is null if the response doesn't
 * belong to a request.
 * @typedef {object} ReviewResponse
 * @property {number | null} n
 * @property {number | null} since
 * @property {string[]} acknowledged
 * @property {Record<string, string>} refused
 * @property {string} trouble
 * @property {number} upTo
 * @property {Record<string, Label>} labels
 * @property {Record<string, string[]>} tags
 * @property {Record<string, string>} notes
 * @property {Rule | null} rule
 * @property {[number, number][]} read
 * @property {Record<string, Section[]>} answers
 * @property {StopAdviceView | null} stopAdvice
 * @property {TargetRecall | null} targetRecall
 * @property {string | null} minutes
 * @property {string[]} drawn
 * @property {SpotCheckView | null} spotCheck
 * @property {RerankingView | null} reranking
 * @property {string} rerankedBy
 * @property {{ order: Order, filter: Filter, query: string, tag: string } | null} looked
 * @property {boolean} isOutdated
 */

/**
 * Data that the server passes to sync.js: a response, the key of the list and the path of the channel.
 * @typedef {ReviewResponse & { list: string, address: string }} SyncData
 */

/** @typedef {[number, number]} Span Start and end of a formula, in UTF-16 units. */
/** @typedef {[string, Record<string, string>, ...(string | Tree)[]]} Tree MathML: name, attributes, content. */
/** @typedef {"title" | "abstract"} FieldName A field of a paper that may hold formulas. */

/**
 * @typedef {object} ListPaper
 * @property {string} id
 * @property {string} title
 * @property {string} abstract
 * @property {string[]} authors
 * @property {string[]} codes
 * @property {string} series
 * @property {string} date
 * @property {string[]} links
 * @property {Partial<Record<FieldName, Span[]>>} [formulas]
 */

/** @typedef {keyof typeof import("./words.js").ACTIONS} ActionName */

/**
 * Data that the server passes to a review list. `review_list` in Python describes the fields.
 * @typedef {object} ListData
 * @property {string} key
 * @property {ListPaper[]} papers
 * @property {Record<string, Tree>} trees
 * @property {number[]} order
 * @property {number | null} ranking
 * @property {RerankingView | null} reranking
 * @property {Record<number, number>} scores
 * @property {string[]} marked
 * @property {string[] | null} tags
 * @property {boolean} hasNotes
 * @property {boolean} hasAnswers
 * @property {boolean} isLocked
 * @property {TargetRecall[]} choices
 * @property {Record<ActionName, string[]>} keys
 */

/** @typedef {{ position: number, title: string, authors: string }} OrderedPaper */
/** @typedef {{ papers: OrderedPaper[], answered: number | null }} OrderListData */

export {};
