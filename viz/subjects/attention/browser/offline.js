// A view of attention in one file: what standalone.js draws, the arithmetic of its cells, and links into it.

import { setScheme } from "../../../pictures/browser/colours.js";
import { letSave } from "../../../pictures/browser/saving/menu.js";
import { vectorCanvases } from "../../../pictures/browser/saving/svg.js";
import { components as tokens } from "../../../pictures/browser/sentences.js";
import { components as numbers } from "./cell.js";
import { components as story } from "./cell_words.js";
import { createCells } from "./offline_cell.js";
import { followLink, linked } from "./offline_link.js";
import { putFormulas } from "./offline_words.js";
import { begin, inflated } from "./standalone.js";

const CARDS = { ...story, ...numbers };

/** Draw the view that a page holds.
 * @param {Document} page
 */
export async function beginOffline(page) {
  const { loupe, sent, put } = await begin(page, (explorer, { said }) => {
    letSave(explorer);
    explorer.saving.provenance = said;
  });
  put("sentences", tokens.sentences, {});
  const cells = createCells(
    sent.cells,
    new Float32Array(await inflated(sent.cells.numbers)),
    loupe,
  );
  const hint = page.getElementById("hint");
  const show = () => {
    const found = cells.at(loupe.selection);
    hint.hidden = Boolean(found);
    for (const [name, setup] of Object.entries(CARDS)) {
      page.getElementById(name).hidden = !found;
      if (found) put(name, setup, found);
    }
  };
  const follow = (_loupe, { listen }) => {
    listen((what) => what === "selection" && show());
    return show;
  };
  // How far this page's numbers of its first cell are from those that Python sent along.
  const first = cells.at(loupe.selection);
  page.documentElement.dataset.apart = String(first ? cells.distance(first) : Number.NaN);
  put("follow", follow, {});
  putFormulas(page.getElementById("cell"));
  printAsVectors(page, loupe);
  loupe.select(linked(location.hash));
  followLink(loupe);
}

// On paper the page is light, and its canvases are vectors.
function printAsVectors(page, loupe) {
  const ground = /** @type {HTMLElement} */ (page.querySelector(".stApp"));
  let restore = () => {};
  window.addEventListener("beforeprint", () => {
    const scheme = ground.style.colorScheme;
    setScheme("light");
    const putBack = vectorCanvases(loupe, ground);
    restore = () => {
      setScheme(scheme);
      putBack();
      loupe.tell("run");
    };
  });
  window.addEventListener("afterprint", () => restore());
}
