// Helpers to create and query elements. Paper content is inserted as text and never parsed as HTML.

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
 * Set an element's text only if it differs from the current text, because each change triggers a layout.
 * @param {Element} element
 * @param {string | number} text
 */
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}

/**
 * Return the http or https address for a link or a DOI. Returns null for any other string.
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
 * Return the target element of an event, which may be part of a formula. Defaults to the document's root element.
 * @param {Event} event
 * @returns {Element}
 */
export function targetOf({ target }) {
  return target instanceof Element ? target : document.documentElement;
}

/**
 * Return the focused element in the same document or shadow tree as an element.
 * @param {Element} element
 * @returns {Element | null}
 */
export function focusedBeside(element) {
  const root = element.getRootNode();
  return root instanceof Document || root instanceof ShadowRoot ? root.activeElement : null;
}

/**
 * Return the entries of an object, keeping the type of its keys. `Object.entries` types all keys as strings.
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
