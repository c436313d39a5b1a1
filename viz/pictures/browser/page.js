// The explorer of the app's page, into which the stubs of Streamlit mount. Only this file names it for the whole window.

import { createLoupe } from "./explorer.js";
import { followFocus } from "./focus.js";
import { keepPlaces } from "./history.js";
import { followTaps } from "./touch.js";

const explorers = new WeakMap(); // document -> its explorer

function explorerOf(page) {
  if (!explorers.has(page)) explorers.set(page, createLoupe(page));
  return explorers.get(page);
}

const loupe = explorerOf(document);
Object.assign(window, { loupe }); // for whoever looks at the page from its console, and for the tests
keepPlaces(window);
followFocus(window);
followTaps(window);

/** Draw a picture, or draw it again with other data; returns what cleans up after it.
 * @param {string} name
 * @param {import("./types").Setup} setup
 * @param {Parameters<import("./types").Loupe["mount"]>[2]} given
 */
export function mount(name, setup, given) {
  return loupe.mount(name, setup, given);
}
