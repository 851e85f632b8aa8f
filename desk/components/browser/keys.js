// Keys act on the focused paper. They are ignored in input fields and in combination with Ctrl, Alt or Meta.

import { entriesOf, focusedBeside, targetOf } from "./elements.js";
/** @import { ReviewList } from "./list.js" */
/** @import { ActionName } from "./messages.js" */

/** @type {ActionName[]} */
const REPEATING = ["down", "up"]; // all other actions run only once while a key is held down
const FIELDS = "input, textarea, select";

export class Keys {
  /**
   * @param {ReviewList} list
   * @param {HTMLElement} root
   */
  constructor(list, root) {
    this.list = list;
    /** @type {Map<string, ActionName>} */
    this.actionOf = new Map();
    for (const [action, keys] of entriesOf(list.given.keys)) {
      for (const key of keys) this.actionOf.set(key.toLowerCase(), action);
    }
    root.addEventListener("keydown", (event) => this.press(event));
    // Prevent Firefox from clicking a button when the space key is released.
    list.grid.addEventListener(
      "keyup",
      (event) => event.key === " " && isSign(targetOf(event)) && event.preventDefault(),
    );
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    event.stopPropagation(); // the key must not also trigger a shortcut of the page
    const action = this.actionOf.get(keyOf(event));
    if (!action || this.list.isCovered) return;
    const target = targetOf(event);
    const isInField = target.matches(FIELDS);
    const isInGrid = this.list.grid.contains(target);
    if (action === "back") this.list.actions.back(target);
    else if (isInField || !isInGrid || this.isOfElement(event)) return;
    else if (!event.repeat || REPEATING.includes(action)) this.list.actions[action]();
    event.preventDefault();
  }

  /**
   * Handle keys pressed outside the list, unless a dialog is open. Escape returns to the list from any button.
   * Character keys act on the current paper if no element has the focus, for example after the focused element was
   * removed.
   * @param {KeyboardEvent} event
   */
  take(event) {
    const { current, actions } = this.list;
    const target = targetOf(event);
    const action = this.actionOf.get(keyOf(event));
    if (!action || event.ctrlKey || event.altKey || event.metaKey || target.closest("[role=dialog], [role=menu]")) {
      return;
    }
    if (action === "back" && target.matches("body, a, button")) actions.back(target);
    if (target !== document.body || !current || event.key.length > 1 || event.key === " ") return;
    this.list.focus(current, { preventScroll: true });
    const { sign } = current;
    if (focusedBeside(sign) !== sign) return;
    // If the action moves the focus to a field, the character must not be typed into the field.
    if (!sign.dispatchEvent(new KeyboardEvent("keydown", event))) event.preventDefault();
  }

  /**
   * Return true if the key is Space or Enter and should activate the focused link or button. Decision buttons are
   * excluded.
   * @param {KeyboardEvent} event
   */
  isOfElement(event) {
    return ["Enter", " "].includes(event.key) && targetOf(event).matches("a, button, summary") &&
      !isSign(targetOf(event));
  }
}

/** @param {Element} element */
export function isSign(element) {
  return element.classList.contains("sign");
}

/**
 * Return the name of the pressed key, in lower case. On a non-Latin keyboard layout, returns the Latin letter at the
 * same physical position.
 * @param {KeyboardEvent} event
 */
function keyOf(event) {
  const isForeign = event.key.length === 1 && event.key > "~" && event.code.startsWith("Key");
  return (isForeign ? event.code.slice(3) : event.key).toLowerCase();
}
