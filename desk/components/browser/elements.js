// Elements are made one by one, and all that comes from a paper goes in as text: a title is never read as HTML.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Change a text only where it differs: what stays the same is not laid out anew.
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = text;
}

// Give an address that may become a link, or null.
function safeAddress(text) {
  const doi = /^(?:doi:\s*)?(10\.\d{4,9}\/\S+)$/i.exec(text.trim());
  const address = doi ? `https://doi.org/${encodeURI(doi[1])}` : text.trim();
  if (!URL.canParse(address)) return null;
  return ["http:", "https:"].includes(new URL(address).protocol) ? address : null;
}

export function link(text) {
  const href = safeAddress(text);
  return href ? make("a", { href, target: "_blank", rel: "noopener noreferrer" }, text) : document.createTextNode(text);
}
