// The explorer of the app's page. The modules that Streamlit loads mount their pictures into it.

import { doubtColours } from "./colours.js";
import { createLoupe } from "./explorer.js";
import { followFocus } from "./focus.js";
import { keepPlaces } from "./history.js";
import { letSave } from "./saving/menu.js";
import { language, learn, speak } from "./say.js";
import { followTaps } from "./touch.js";

const explorers = new WeakMap(); // document -> its explorer

function explorerOf(page) {
  if (!explorers.has(page)) explorers.set(page, createLoupe(page));
  return explorers.get(page);
}

const loupe = explorerOf(document);
letSave(loupe);
Object.assign(window, { loupe }); // for the browser's console, and for the tests
keepPlaces(window);
followFocus(window);
followTaps(window);
window.addEventListener("resize", doubtColours); // the size of letters may have changed

/** Draw a picture, or draw it again with new data. Return the function that cleans up after it.
 * @param {string} name
 * @param {import("./types").Setup} setup
 * @param {Parameters<import("./types").Loupe["mount"]>[2]} given
 * @param {Parameters<typeof learn>[0]} texts
 */
export function mount(name, setup, given, texts) {
  learn(texts);
  speak(given.data?.language);
  const { documentElement: root } = document;
  if (root.lang !== language()) root.lang = language(); // setting it again would recompute all styles
  return loupe.mount(name, setup, given);
}
