// Words are marked by cutting text nodes, never by writing HTML.

const NOTHING = /(?!)/gu;

function patternOf(words) {
  const known = [...new Set(words.map((word) => word.trim()))].filter((word) => /[\p{L}\p{N}]/u.test(word));
  known.sort((a, b) => b.length - a.length);
  if (!known.length) return NOTHING;
  const escaped = known.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/[\s-]+/g, "[\\s-]+"));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})(?![\\p{L}\\p{N}])`, "giu");
}

// Show a text in an element, the words of a pattern marked.
function showText(element, text, pattern) {
  element.textContent = text;
  if (!text) return;
  const range = document.createRange();
  for (const found of [...text.matchAll(pattern)].reverse()) {
    range.setStart(element.firstChild, found.index);
    range.setEnd(element.firstChild, found.index + found[0].length);
    range.surroundContents(document.createElement("mark"));
  }
}
