// Once the server is back, the page is drawn anew: a server that was started again knows no parts of this page, and

import { begun } from "./calls.js";
// passes over what they send. Streamlit itself asks for it only if something was under way when the server went.

const WATCHED = new WeakMap();

export default function ({ parentElement: root, setTriggerValue }) {
  const redraw = () => setTriggerValue("back", Date.now());
  if (WATCHED.has(root)) WATCHED.get(root).redraw = redraw;
  else WATCHED.set(root, watch(redraw));
  return begun(root, () => {
    WATCHED.get(root).observer.disconnect();
    WATCHED.delete(root);
  });
}

function watch(redraw) {
  const app = document.querySelector("[data-testid=stApp]");
  const isThere = () => app.dataset.testConnectionState === "CONNECTED";
  const watched = { redraw };
  let wasThere = isThere();
  watched.observer = new MutationObserver(() => {
    if (isThere() && !wasThere) watched.redraw();
    wasThere = isThere();
  });
  watched.observer.observe(app, { attributeFilter: ["data-test-connection-state"] });
  return watched;
}
