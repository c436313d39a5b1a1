// Parts of several pages of the site: folds, choices and sliders, which stay while the page redraws what they select.

import { element } from "../../pictures/browser/elements.js";

/** Make a part that is hidden until it is opened.
 * @param {string} heading
 * @param {string} key the app's name of the fold
 * @param {...(Node | string)} children
 */
export const fold = (heading, key, ...children) =>
  element(
    "details",
    { class: `site-card site-fold st-key-${key}` },
    element("summary", {}, heading),
    ...children,
  );

/** Make a choice of one value, under a label.
 * @param {string} label
 * @param {(value: any) => void} choose
 */
export function createChoice(label, choose) {
  let values = [];
  let written = "";
  const list = element("select", { onchange: () => choose(values[list.selectedIndex]) });
  return {
    node: element("label", { class: "site-choice" }, label, " ", list),
    /** Show the current values and the chosen one.
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

/** Make a slider over whole numbers.
 * @param {(value: number) => string} said returns its label at a value
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

/** Call a function whenever the selection changes, as a picture would.
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
