// Streamlit calls a component again after each change. It also ends a call that was superseded before it returned, as
// if the component had left the page. Only the end of the newest call means that.

/**
 * Argument of Streamlit's call of a component.
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
 * Begin a call for a place on the page. Return the function that ends it.
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
