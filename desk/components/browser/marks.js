// Highlights words in elements. It splits text nodes and writes no HTML, because paper content must never be parsed.

import { make } from "./elements.js";
import { partsOf } from "./mathml.js";
/** @import { Span, Tree } from "./messages.js" */

/**
 * Words and search hits to highlight in a string, and the formulas in it.
 * @typedef {{ pattern: RegExp, hits: RegExp, spans: Span[], trees: Record<string, Tree> }} TextLook
 */

const MOST_HITS = 20; // maximum number of highlighted hits per text node; a single letter may match hundreds of times
export const NOTHING = /(?!)/gu;
// Chinese, Japanese and Korean don't separate words by spaces, so no word boundaries are required around their words.
const UNSPACED = /[\u3005\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const SPACED = "(?![\\u3005\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}])[\\p{L}\\p{N}]";
const BEFORE = `(?<!${SPACED})`;
const AFTER = `(?!${SPACED})`;

/**
 * Return a pattern that matches any of the words, as whole words.
 * @param {string[]} words
 */
export function patternOf(words) {
  const known = [...new Set(words.map((word) => word.trim()))].filter((word) => /[\p{L}\p{N}]/u.test(word));
  known.sort((a, b) => b.length - a.length);
  if (!known.length) return NOTHING;
  const escaped = known.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/[\s-]+/g, "[\\s-]+"));
  const bounded = escaped.map((word) => {
    const before = UNSPACED.test(word[0]) ? "" : BEFORE;
    return `${before}${word}${UNSPACED.test(word.slice(-1)) ? "" : AFTER}`;
  });
  return new RegExp(bounded.join("|"), "giu");
}

/**
 * Return a pattern that matches any part of a query, even inside words.
 * @param {string[]} parts
 */
export function hitsOf(parts) {
  const escaped = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll(" ", "\\s+"));
  return parts.length ? new RegExp(escaped.join("|"), "giu") : NOTHING;
}

/**
 * Show a string in an element. Renders formulas, and highlights search hits and words that match the pattern.
 * @param {Element} element
 * @param {string} text
 * @param {TextLook} look
 */
export function showText(element, text, look) {
  const { pattern, hits, spans, trees } = look;
  if (spans.length) element.replaceChildren(...partsOf(text, spans, trees));
  else element.textContent = text;
  const range = document.createRange();
  for (const node of [...element.childNodes]) if (node instanceof Text) markIn(node, pattern, hits, range);
}

/**
 * @param {Text} node
 * @param {RegExp} pattern
 * @param {RegExp} hits
 * @param {Range} range
 */
function markIn(node, pattern, hits, range) {
  const text = node.data;
  /** @type {[string, number, number][]} */
  const found = [];
  for (const one of [...text.matchAll(hits)].slice(0, MOST_HITS)) {
    found.push(["hit", one.index, one.index + one[0].length]);
  }
  for (const one of text.matchAll(pattern)) {
    const [start, end] = [one.index, one.index + one[0].length];
    if (!found.some(([, from, to]) => start < to && from < end)) found.push(["", start, end]);
  }
  found.sort(([, a], [, b]) => b - a); // from the end, because a split invalidates the offsets after it
  for (const [name, start, end] of found) {
    range.setStart(node, start);
    range.setEnd(node, end);
    range.surroundContents(name ? make("mark", { class: name }) : document.createElement("mark"));
  }
}
