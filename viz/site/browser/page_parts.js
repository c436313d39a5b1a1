// What several pages of the site are made of: folds, choices and sliders that stay while what they choose is drawn anew.

import { element } from "../../pictures/browser/elements.js";

/** What is shown once it is asked for.
 * @param {string} heading
 * @param {string} key as the app names such a fold
 * @param {...(Node | string)} children
 */
export const fold = (heading, key, ...children) =>
  element(
    "details",
    { class: `site-card site-fold st-key-${key}` },
    element("summary", {}, heading),
    ...children,
  );

/** A choice among values with their words, under a label.
 * @param {string} label
 * @param {(value: any) => void} choose
 */
export function createChoice(label, choose) {
  let values = [];
  let written = "";
  const list = element("select", { onchange: () => choose(values[list.selectedIndex]) });
  return {
    node: element("label", { class: "site-choice" }, label, " ", list),
    /** Show the values that there are now, and the one that is chosen.
     * @param {[any, string][]} options
     * @param {any} value
     */
    show(options, value) {
      values = options.map(([each]) => each);
      const words = options.map(([, said]) => said);
      if (written !== words.join("\n"))
        list.replaceChildren(...words.map((said) => element("option", {}, said)));
      written = words.join("\n");
      list.selectedIndex = values.indexOf(value);
    },
  };
}

/** A slider over whole numbers.
 * @param {(value: number) => string} said its label at a value
 * @param {(value: number) => void} choose
 */
export function createSlider(said, choose) {
  const label = element("span", {});
  const range = element("input", {
    type: "range",
    min: "0",
    oninput: () => {
      label.textContent = said(Number(range.value));
      choose(Number(range.value));
    },
  });
  return {
    node: element("label", { class: "site-range" }, label, range),
    /** @param {number} value @param {number} most */
    show(value, most) {
      range.max = String(most);
      range.value = String(value);
      label.textContent = said(value);
    },
  };
}

/** Draw what follows the selection, as a picture does.
 * @param {typeof import("./pages").put} put
 * @param {import("../../pictures/browser/types").Loupe} loupe
 * @param {HTMLElement} place
 * @param {() => void} draw
 */
export function followSelection(put, loupe, place, draw) {
  const host = element("span", { hidden: true });
  place.append(host);
  const follow = (_loupe, { listen }) => {
    listen((what) => what === "selection" && draw());
    return () => {};
  };
  put(loupe, host, "follow_selection", follow, {});
}
