// Streamlit calls a component again after each change, and later runs the clean-up function of each call. It also
// cleans up superseded calls, although their component is still on the page. Only the clean-up of the newest call means
// that the component has been removed.

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
