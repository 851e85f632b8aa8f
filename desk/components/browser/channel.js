// Channel between a review list and the server. The list and sync.js are separate components of the page. They share a
// channel, which both look up by the key of the list.

/** @import { ReviewRequest, ReviewResponse } from "./messages.js" */
/** @import { Outbox } from "./outbox.js" */

/**
 * @typedef {object} ReviewChannel
 * @property {Outbox | null} [outbox] Outbox that receives the responses; null while no list is open.
 * @property {ReviewResponse} [response] The newest response.
 * @property {(request: ReviewRequest, options: { hasPage: boolean }) => Promise<void>} [send]
 * @property {boolean} [isReached] True if the last request reached the server.
 */

/**
 * Return the channel of a list.
 * @param {string} key
 * @returns {ReviewChannel}
 */
export function channelOf(key) {
  const page = /** @type {typeof globalThis & { presortChannels?: Record<string, ReviewChannel> }} */ (globalThis);
  page.presortChannels ??= {};
  return (page.presortChannels[key] ??= {});
}
