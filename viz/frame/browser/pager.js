// The pages in presenter mode, where a clicker has two keys: the one before and the one after.

import { element, pushButton } from "../../pictures/browser/elements.js";
import { say } from "../../pictures/browser/say.js";

const KEYS = { PageUp: -1, PageDown: 1 };
const OTHERS = "textarea, select, [role=listbox], [role=slider], [data-testid=stDataFrame]";

/** @type {import("../../pictures/browser/types").Setup} */
function pager(loupe, { host, signal }) {
  let turn = (_by) => {};
  loupe.root.addEventListener(
    "keydown",
    (event) => {
      const key = /** @type {KeyboardEvent} */ (event);
      const isHeld = key.ctrlKey || key.metaKey || key.altKey || key.shiftKey;
      if (!KEYS[key.key] || isHeld || document.querySelector("[role=dialog], dialog[open]")) return;
      if (key.target instanceof Element && key.target.matches(OTHERS)) return;
      key.preventDefault();
      turn(KEYS[key.key]);
    },
    { signal },
  );
  return ({ pages, current }, trigger) => {
    let place = pages.findIndex(([url]) => url === current);
    turn = (by) => {
      if (!pages[place + by]) return;
      place += by; // a second press before the page is there means the one behind it
      trigger("turn", pages[place][0]);
    };
    const button = (by, sign, name) => {
      const page = pages[place + by];
      const label = page ? say("frame.page_to", { name, page: page[1] }) : name;
      return pushButton(
        { disabled: !page, "aria-label": label, title: label, onclick: () => turn(by) },
        sign,
      );
    };
    host.replaceChildren(
      button(-1, "‹", say("frame.page_before")),
      element("span", {}, `${place + 1} / ${pages.length}`),
      button(1, "›", say("frame.page_after")),
    );
  };
}

export const components = { pager };
