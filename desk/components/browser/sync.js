// The line to the server; the list takes it up by its key. See channel.js.
// What is sent goes to the line's own address, and by the page where that can't answer: as the server was started again,
// or nobody is signed in any more; then the page says so. By the page goes, too, what moves it. Once the list has left the
// page, all goes to the address.

import { channelOf } from "./channel.js";
/** @import { Component } from "./calls.js" */
/** @import { Kind, ReviewRequest, ReviewResponse, SyncData } from "./messages.js" */

/** @type {Kind[]} */
const OF_PAGE = ["leave", "hinted"]; // kinds of entries

/** @param {Component<SyncData>} component */
export default function ({ data, setTriggerValue }) {
  const line = channelOf(data.list);
  /** @param {ReviewResponse} reply */
  const hear = (reply) => {
    line.reply = reply;
    line.outbox?.receive(reply);
  };
  /** @param {ReviewRequest} message */
  const sendByPage = (message) => setTriggerValue("sent", message);
  line.send = async (message, { hasPage }) => {
    const isOfPage = hasPage && message.entries.some(({ kind }) => OF_PAGE.includes(kind));
    line.isReached = isOfPage && isPageConnected(); // a page whose script runs for seconds answers after that
    if (isOfPage) return sendByPage(message);
    const reply = await answered(data.line, JSON.stringify(message)).catch(() => LOST);
    line.isReached = reply !== LOST;
    if (reply === LOST || reply === LATER) return; // the outbox sends it again
    if (reply !== null) hear(reply);
    else if (hasPage) sendByPage(message);
  };
  hear(data);
}

function isPageConnected() {
  const app = document.querySelector("[data-testid=stApp]");
  return app?.getAttribute("data-test-connection-state") === "CONNECTED";
}

const LOST = /** @type {const} */ ("no connection");
const LATER = /** @type {const} */ ("asked too often");
const TOO_MANY = 429;

/**
 * What the line answers; null where it doesn't. Fails without a connection.
 * @param {string} line
 * @param {string} body
 * @returns {Promise<ReviewResponse | null | typeof LATER>}
 */
async function answered(line, body) {
  const headers = { "Content-Type": "application/json" };
  /** @param {boolean} keepalive */
  const post = (keepalive) => fetch(`/lines/${line}`, { method: "POST", body, headers, keepalive });
  // Kept alive, a message arrives also where the page is left meanwhile; too long a one, with others under way, fails.
  const response = await post(true).catch(() => post(false));
  if (response.status === TOO_MANY) return LATER;
  return response.ok ? response.json() : null;
}
