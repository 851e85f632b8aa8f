// Elements are created one by one, and content of papers is inserted as text: a title is never parsed as HTML.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * Set a text only if it differs, to avoid a new layout.
 * @param {Element} element
 * @param {string | number} text
 */
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}

/**
 * Return the address if it may become a link, else null.
 * @param {string} text
 * @returns {string | null}
 */
function safeAddress(text) {
  const doi = /^(?:doi:\s*)?(10\.\d{4,9}\/\S+)$/i.exec(text.trim());
  const address = doi ? `https://doi.org/${encodeURI(doi[1])}` : text.trim();
  if (!URL.canParse(address)) return null;
  return ["http:", "https:"].includes(new URL(address).protocol) ? address : null;
}

/**
 * @param {string} text
 * @returns {Node}
 */
export function link(text) {
  const href = safeAddress(text);
  return href ? make("a", { href, target: "_blank", rel: "noopener noreferrer" }, text) : document.createTextNode(text);
}

/**
 * Return the element that an event came from, the root of the page if from none. It may be part of a formula.
 * @param {Event} event
 * @returns {Element}
 */
export function targetOf({ target }) {
  return target instanceof Element ? target : document.documentElement;
}

/**
 * Return the element in focus in the document, or shadow tree, of an element.
 * @param {Element} element
 * @returns {Element | null}
 */
export function focusedBeside(element) {
  const root = element.getRootNode();
  return root instanceof Document || root instanceof ShadowRoot ? root.activeElement : null;
}

/**
 * Return the entries of an object, whose keys are known; `Object.entries` takes them for any text.
 * @template {string} Key
 * @template Value
 * @param {{ [key in Key]?: Value }} object
 * @returns {[Key, Value][]}
 */
export function entriesOf(object) {
  return /** @type {[Key, Value][]} */ (Object.entries(object));
}

/**
 * @param {Element} element
 * @returns {HTMLElement[]}
 */
export function childrenOf(element) {
  return /** @type {HTMLElement[]} */ ([...element.children]);
}
