// The list below the field of the sentence: known words that complete the word at the caret.

import { element } from "../../pictures/browser/elements.js";
import { say } from "../../pictures/browser/say.js";

export const LIST_ID = "loupe-completions";

/** Make the list, closed at first.
 * @param {HTMLElement} host
 */
export function createList(host) {
  const list = element("ul", {
    id: LIST_ID,
    role: "listbox",
    "aria-label": say("typing.known"),
    hidden: true,
  });
  host.append(list);
  let active = -1;
  const options = () => /** @type {HTMLElement[]} */ ([...list.children]);
  const close = (input) => {
    list.hidden = true;
    list.replaceChildren();
    active = -1;
    input?.setAttribute("aria-expanded", "false");
    input?.removeAttribute("aria-activedescendant");
  };
  const activate = (input, place) => {
    active = (place + list.children.length) % list.children.length;
    options().forEach((option, i) => {
      option.setAttribute("aria-selected", String(i === active));
    });
    input.setAttribute("aria-activedescendant", options()[active].id);
  };
  const open = (input, words, begun, take) => {
    list.replaceChildren(
      ...words.map((word, i) =>
        element(
          "li",
          {
            role: "option",
            id: `${LIST_ID}-${i}`,
            "aria-selected": "false",
            onpointerdown: (event) => event.preventDefault(), // so that the field keeps the focus
            onclick: () => take(word),
          },
          element("b", {}, word.slice(0, begun.length)),
          word.slice(begun.length),
        ),
      ),
    );
    list.hidden = false;
    active = -1;
    input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-expanded", "true");
  };
  return {
    list,
    open,
    close,
    isOpen: () => !list.hidden,
    move: (input, by) => activate(input, active < 0 && by < 0 ? -1 : active + by),
    chosen: () => (active < 0 ? undefined : options()[active].textContent),
    first: () => options()[0]?.textContent,
  };
}

// Return where a word begins on the screen, to place the list below it.
export function leftOf(input, start) {
  const pen = document.createElement("canvas").getContext("2d");
  const style = getComputedStyle(input);
  pen.font = style.font;
  const before = pen.measureText(input.value.slice(0, start)).width - input.scrollLeft;
  return Math.max(0, before) + Number.parseFloat(style.paddingLeft);
}
