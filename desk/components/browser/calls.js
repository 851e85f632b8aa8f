// Streamlit calls a part of a page again whenever something of it changes. It ends a call that was overtaken before it
// had answered, too, as if the part had left the page; only the end of the newest call is one.

/**
 * What Streamlit calls a component with.
 * @template Data
 * @typedef {object} Component
 * @property {Data} data
 * @property {HTMLElement | ShadowRoot} parentElement
 * @property {(name: string, value: unknown) => void} setTriggerValue
 * @property {(name: string, value: unknown) => void} setStateValue
 */

/** @type {WeakMap<Node, object>} */
const CALLS = new WeakMap();

/**
 * Begin a call for a place on the page; return how to end it.
 * @param {Node} root
 * @param {() => void} close
 * @returns {() => void}
 */
export function begun(root, close) {
  const call = {};
  CALLS.set(root, call);
  return () => {
    if (CALLS.get(root) === call) close();
  };
}
