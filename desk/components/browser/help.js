// Dialog that lists the keys.

import { entriesOf, make } from "./elements.js";
import { ACTIONS, KEY_NAMES, SAYS } from "./words.js";
/** @import { ReviewList } from "./list.js" */

export class Help {
  /** @param {ReviewList} list */
  constructor(list) {
    this.list = list;
    const rows = entriesOf(list.given.keys).map(([action, keys]) =>
      make(
        "tr",
        {},
        make("td", {}, ...keys.flatMap((key, n) => [n ? " " : "", make("kbd", {}, KEY_NAMES[key] ?? key)])),
        make("td", {}, ACTIONS[action]),
      )
    );
    const close = make("button", { type: "button" }, SAYS.close);
    close.addEventListener("click", () => this.element.close());
    this.element = make(
      "dialog",
      { "aria-labelledby": "keys-title" },
      make("h3", { id: "keys-title" }, SAYS.keysTitle),
      make("p", { class: "quiet" }, SAYS.keysHint),
      make("table", {}, make("tbody", {}, ...rows)),
      close,
    );
  }

  show() {
    this.element.showModal();
  }
}
