// Streamlit calls a component again after each change, and later runs the clean-up function returned by each call. It
// runs them even for superseded calls, whose component is still on the page. The component has been removed only if
// the newest call is cleaned up.

/**
 * Argument that Streamlit passes to a component.
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
 * Register a call for the root element of a component, and return the clean-up function of the call.
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
