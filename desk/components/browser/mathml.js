// Builds formulas from the trees sent by the server. For safety, only the elements and attributes below are created.

import { make } from "./elements.js";
/** @import { Span, Tree } from "./messages.js" */

const MATHML = "http://www.w3.org/1998/Math/MathML";
const MATHS =
  /^(math|m(row|i|o|n|text|s|space|frac|sqrt|root|style|padded|phantom|sub|sup|subsup|under|over|underover|table|tr|td))$/;
const MATHS_ATTRIBUTE = new RegExp(
  "^(display|stretchy|fence|form|mathvariant|accent|accentunder|minsize|maxsize|linethickness|width|height|depth|lspace|" +
    "rspace|scriptlevel|displaystyle|movablelimits|largeop|separator|symmetric|columnalign|rowspacing|columnspacing)$",
);

/**
 * Return the element for a tree, or null if the tree contains a disallowed element or attribute.
 * @param {Tree} tree
 * @returns {Element | null}
 */
function formulaOf(tree) {
  const [name, attributes, ...inside] = tree;
  if (!MATHS.test(name) || !Object.keys(attributes).every((one) => MATHS_ATTRIBUTE.test(one))) return null;
  const element = document.createElementNS(MATHML, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  for (const one of inside) {
    const child = typeof one === "string" ? one : formulaOf(one);
    if (child === null) return null;
    element.append(child);
  }
  return element;
}

/**
 * Replace each formula's source in a string by the rendered characters.
 * @param {string} text
 * @param {Span[]} spans
 * @param {Record<string, Tree>} trees
 */
export function seenOf(text, spans, trees) {
  return make("span", {}, ...partsOf(text, spans, trees)).textContent;
}

/**
 * Split a string into its rendered formulas and the text between them.
 * @param {string} text
 * @param {Span[]} spans
 * @param {Record<string, Tree>} trees
 * @returns {Node[]}
 */
export function partsOf(text, spans, trees) {
  /** @type {Node[]} */
  const parts = [];
  let end = 0;
  for (const [from, to] of spans) {
    const tree = trees[text.slice(from, to)];
    const formula = tree && formulaOf(tree);
    if (!formula) continue;
    parts.push(document.createTextNode(text.slice(end, from)), make("span", { class: "formula" }, formula));
    end = to;
  }
  return [...parts, document.createTextNode(text.slice(end))];
}
