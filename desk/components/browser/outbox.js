// Stores entries in the browser and resends them until the server confirms that they are saved. Each entry has its own
// id and storage item, because two windows with the same list must not overwrite each other's entries. If both windows
// send an entry, the server saves it only once. After the list is closed, its outbox continues until all entries are
// saved or the list is opened again.

import { channelOf } from "./channel.js";
import { SAYS } from "./words.js";
/** @import { Entry, Kind, ReviewResponse, Label } from "./messages.js" */

// Milliseconds:
const DEBOUNCE = 200; // from the newest entry until the entries are sent
const LONGEST_WAIT = 1000; // from the first unsent entry until it is sent, however many entries follow
const PATIENCE = 4000; // without a response until the connection is treated as lost
const AGAIN = 3000; // between retries
const POLL = 1500; // between requests when there is nothing to send
const CURIOUS = 400; // polling interval while the editor waits for an explanation
const BATCH = 200; // entries per request
/** @type {Kind[]} */
const ORDERING = ["rerank", "undoRerank", "showNewestOrder"]; // decisions are blocked until the response arrives
/** @type {Kind[]} */
const PASSING = ["explain", "draw", "looked", "leave", ...ORDERING]; // not stored, because losing them does no harm
/** @type {Kind[]} */
const NEWEST = ["looked"]; // only the newest entry is sent
/** @type {Listener} */
const NOBODY = { onResponse: () => {}, onState: () => {}, onOrderRefused: () => {}, isCurious: () => false };

/** @typedef {Entry & { id: string, at: number }} KeptEntry Entry with its time, in milliseconds since 1970. */

/**
 * @template {Kind} K
 * @typedef {Extract<KeptEntry, { kind: K }>} KeptOf
 */

/**
 * Save status: the number of unsaved entries (`n`), and whether they are in the browser's storage (`isKept`).
 * @typedef {{ n: number, isLost: boolean, isKept: boolean, refusal: string, trouble: string }} OutboxState
 */

/**
 * @typedef {object} Listener
 * @property {(response: ReviewResponse, context: { isNews: boolean, saved: KeptEntry[] }) => void} onResponse
 * @property {(state: OutboxState) => void} onState
 * @property {(why: string) => void} onOrderRefused Called if a request to change the order failed.
 * @property {() => boolean} isCurious Returns true while the editor is waiting for an explanation.
 */

export class Outbox {
  /**
   * @param {string} key
   * @param {Listener} listener
   */
  constructor(key, listener) {
    this.prefix = prefixOf(key);
    this.channel = channelOf(key);
    this.listener = listener;
    /** @type {Map<string, KeptEntry>} */
    this.entries = new Map(); // by id, oldest first
    this.n = 0;
    /** @type {number | null} */
    this.seen = null;
    /** @type {number | null} */
    this.reranking = null; // number of the re-ranked order that is shown
    /** @type {number | null} */
    this.awaited = null;
    /** @type {number | null} */
    this.waitingSince = null;
    this.stop = new AbortController();
    this.isLost = false;
    this.isKept = true;
    this.refusal = "";
    this.trouble = "";
    this.load();
  }

  open() {
    this.channel.outbox?.end();
    this.channel.outbox = this;
    const { signal } = this.stop;
    window.addEventListener("beforeunload", (event) => this.unsaved && event.preventDefault(), { signal });
    window.addEventListener("online", () => this.hurry(), { signal });
    document.addEventListener("visibilitychange", () => this.hurry(), { signal });
    if (this.channel.response) this.receive(this.channel.response);
    this.reportState();
  }

  // Load earlier unsaved entries from the storage. Also load the unsaved entries in the channel's previous outbox,
  // because the storage may be unavailable.
  load() {
    const found = [...(this.channel.outbox?.entries.values() ?? [])];
    this.withStorage((storage) => {
      for (const name of keptNames(storage, this.prefix)) {
        const text = storage.getItem(name);
        if (text !== null) found.push(JSON.parse(text)); // another window may have just removed it
      }
    });
    for (const entry of found.sort((a, b) => a.at - b.at)) this.entries.set(entry.id, entry);
    this.last = Math.max(0, ...found.map((entry) => entry.at));
  }

  /** @param {Entry} entry */
  add(entry) {
    if (NEWEST.includes(entry.kind)) { for (const { id } of this.ofKind(entry.kind)) this.forget(id); }
    // The time must be later than that of all earlier entries, even if the clock was set back after they were stored.
    this.last = Math.max(performance.timeOrigin + performance.now(), this.last + 1);
    const whole = /** @type {KeptEntry} */ ({ id: newId(), at: this.last, ...entry });
    this.entries.set(whole.id, whole);
    if (!PASSING.includes(whole.kind)) {
      this.withStorage((storage) => storage.setItem(this.prefix + whole.id, JSON.stringify(whole)));
      this.refusal = "";
    }
    this.waitingSince ??= performance.now();
    this.schedule(DEBOUNCE);
    this.reportState();
  }

  /** @param {string} id */
  forget(id) {
    const entry = this.entries.get(id);
    this.entries.delete(id);
    this.withStorage((storage) => storage.removeItem(this.prefix + id));
    return entry;
  }

  /** @param {(storage: Storage) => void} action */
  withStorage(action) {
    try {
      action(localStorage);
    } catch (error) {
      this.isKept = false; // storage is full or blocked
      console.warn("The browser's storage can't be used.", error);
    }
  }

  /**
   * @template {Kind} K
   * @param {K} kind
   * @returns {KeptOf<K>[]}
   */
  ofKind(kind) {
    return /** @type {KeptOf<K>[]} */ ([...this.entries.values()].filter((entry) => entry.kind === kind));
  }

  /**
   * @param {"tagged" | "noted"} kind
   * @param {string} paper
   */
  holds(kind, paper) {
    return this.ofKind(kind).some((entry) => entry.paper === paper);
  }

  /**
   * Return the unsaved label of each paper.
   * @returns {Map<string, Label>}
   */
  labels() {
    return new Map(this.ofKind("decided").map((entry) => [entry.paper, entry.label]));
  }

  /** @param {number} delay */
  schedule(delay) {
    if (this.awaited !== null) return; // entries added in the meantime are sent after the response
    const latest = this.waitingSince === null ? Infinity : this.waitingSince + LONGEST_WAIT - performance.now();
    clearTimeout(this.sending);
    this.sending = setTimeout(() => this.send(), Math.max(0, Math.min(delay, latest)));
  }

  send() {
    clearTimeout(this.sending);
    if (document.hidden && !this.entries.size) return; // no polling in a hidden window; `hurry` resumes it
    this.awaited = ++this.n;
    this.waitingSince = null;
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.lose(), this.isLost ? AGAIN : PATIENCE);
    const entries = [...this.entries.values()].slice(0, BATCH).map(({ at: _, ...rest }) => rest);
    const { awaited: n, seen, reranking } = this;
    this.channel.send?.({ n, seen, reranking, entries }, { hasPage: !this.isLeft });
  }

  // Send the request again after a timeout. The connection is treated as lost only if the server was not reached,
  // because the server may just be slow.
  lose() {
    this.isLost = !this.channel.isReached;
    this.awaited = null;
    if (this.isLost && this.isOrdering) {
      // Cancel requests for a new order, because an order that arrives an hour later would move papers unexpectedly.
      for (const { id } of ORDERING.flatMap((kind) => this.ofKind(kind))) this.forget(id);
      this.listener.onOrderRefused(SAYS.notConnected);
    }
    this.reportState();
    this.send();
  }

  /** @param {ReviewResponse} response */
  receive(response) {
    this.trouble = response.trouble;
    if (response.trouble) {
      this.settle(response);
      this.schedule(AGAIN);
      this.reportState();
      return;
    }
    const saved = response.acknowledged.map((id) => this.forget(id)).filter((entry) => entry !== undefined);
    for (const [id, why] of Object.entries(response.refused)) {
      const entry = this.forget(id);
      if (entry && ORDERING.includes(entry.kind)) {
        this.listener.onOrderRefused(why);
        continue;
      }
      this.refusal = why;
      console.error(`Refused: ${why}`, entry);
    }
    // A response is not news if it is an old response that Streamlit delivers again, or if changes between it and the
    // newest response seen are missing.
    const isNext = response.since === null || (this.seen !== null && response.since <= this.seen);
    const isNews = isNext && response.upTo >= (this.seen ?? 0);
    if (isNews) this.seen = response.upTo;
    this.settle(response);
    this.listener.onResponse(response, { isNews, saved });
    if (this.isLeft && !this.entries.size) return this.end();
    this.schedule(this.entries.size ? DEBOUNCE : this.listener.isCurious() ? CURIOUS : POLL);
    this.reportState();
  }

  /** @param {ReviewResponse} response */
  settle({ n }) {
    if (n !== null && n !== this.awaited) return;
    this.awaited = null;
    this.isLost = false;
    clearTimeout(this.patience);
  }

  // True while a request to change the order is pending.
  get isOrdering() {
    return ORDERING.some((kind) => this.ofKind(kind).length > 0);
  }

  get isLeft() {
    return this.listener === NOBODY;
  }

  get unsaved() {
    return [...this.entries.values()].filter((entry) => !PASSING.includes(entry.kind)).length;
  }

  reportState() {
    const { unsaved: n, isLost, isKept, refusal, trouble } = this;
    this.listener.onState({ n, isLost, isKept, refusal, trouble });
  }

  hurry() {
    this.schedule(0);
  }

  // Called when the list is closed: send unsaved entries immediately, and continue without the list.
  close() {
    this.listener = NOBODY;
    if (this.channel.outbox !== this) return; // a newer list has taken over the channel and the unsaved entries
    for (const { id } of PASSING.flatMap((kind) => this.ofKind(kind))) this.forget(id);
    if (this.entries.size) this.send();
    else this.end();
  }

  end() {
    clearTimeout(this.sending);
    clearTimeout(this.patience);
    this.stop.abort();
    this.channel.outbox = null;
  }
}

/**
 * Return the prefix of the storage keys of a list's unsaved entries.
 * @param {string} key
 */
function prefixOf(key) {
  return `presort ${key} `;
}

/**
 * @param {Storage} storage
 * @param {string} prefix
 */
function keptNames(storage, prefix) {
  return Object.keys(storage).filter((name) => name.startsWith(prefix));
}

/**
 * Return true if a list has unsaved entries, in the outbox of its channel or in the storage.
 * @param {string} key
 */
export function holdsUnsaved(key) {
  if (channelOf(key).outbox?.unsaved) return true;
  try {
    return keptNames(localStorage, prefixOf(key)).length > 0;
  } catch {
    return false; // storage is blocked, so it has no entries
  }
}

// Return a random UUID. `crypto.randomUUID` is missing if the page is served over plain HTTP.
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
