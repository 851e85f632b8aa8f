// Sends requests from a list to the address of its channel. If there is no response because the server was restarted or
// the user is signed out, the request is sent through the page instead, which then shows the reason. Requests that
// change the page are also sent through the page, and so is a request that redraws it if somebody else has published or
// reopened the report issue. After the list is closed, all requests are sent to the address.

import { channelOf } from "./channel.js";
/** @import { Component } from "./calls.js" */
/** @import { Kind, ReviewRequest, ReviewResponse, SyncData } from "./messages.js" */

/** @type {Kind[]} */
const OF_PAGE = ["leave", "hinted"]; // kinds of entries that change the page

/** @param {Component<SyncData>} component */
export default function ({ data, setTriggerValue }) {
  const channel = channelOf(data.list);
  /** @param {ReviewResponse} response */
  const receive = (response) => {
    channel.response = response;
    channel.outbox?.receive(response);
  };
  /** @param {ReviewRequest} request */
  const sendByPage = (request) => setTriggerValue("request", request);
  channel.send = async (request, { hasPage }) => {
    const isOfPage = hasPage && request.entries.some(({ kind }) => OF_PAGE.includes(kind));
    channel.isReached = isOfPage && isPageConnected(); // if the page is busy, the response comes later
    if (isOfPage) return sendByPage(request);
    const response = await sendByAddress(data.address, JSON.stringify(request)).catch(() => LOST);
    channel.isReached = response !== LOST;
    if (response === LOST || response === LATER) return; // the outbox sends the request again
    if (response !== null) receive(response);
    else if (hasPage) sendByPage(request);
    if (response?.isOutdated && hasPage) sendByPage({ ...request, entries: [] });
  };
  receive(data);
}

function isPageConnected() {
  const app = document.querySelector("[data-testid=stApp]");
  return app?.getAttribute("data-test-connection-state") === "CONNECTED";
}

const LOST = /** @type {const} */ ("no connection");
const LATER = /** @type {const} */ ("asked too often");
const TOO_MANY = 429;

/**
 * Return the response of the channel, or null if the channel has no response. Fails if there is no connection.
 * @param {string} address Path of the channel.
 * @param {string} body
 * @returns {Promise<ReviewResponse | null | typeof LATER>}
 */
async function sendByAddress(address, body) {
  const headers = { "Content-Type": "application/json" };
  /** @param {boolean} keepalive */
  const post = (keepalive) => fetch(address, { method: "POST", body, headers, keepalive });
  // With `keepalive`, the request arrives even if the page is closed. If it fails because too much data is in transit,
  // it is sent again without `keepalive`.
  const response = await post(true).catch(() => post(false));
  if (response.status === TOO_MANY) return LATER;
  return response.ok ? response.json() : null;
}
