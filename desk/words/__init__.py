"""What the desk says to people, a module a page or subject; `components/browser/words.js` has the list's own."""
