// A view of attention in one file: what standalone.js draws, the arithmetic of its cells, and links into it.

import { setScheme } from "../../../pictures/browser/colours.js";
import { element } from "../../../pictures/browser/elements.js";
import { createLoupe } from "../../../pictures/browser/explorer.js";
import { letSave } from "../../../pictures/browser/saving/menu.js";
import { vectorCanvases } from "../../../pictures/browser/saving/svg.js";
import { say } from "../../../pictures/browser/say.js";
import { components as steps } from "./cell.js";
import { cellInView } from "./cell_arithmetic.js";
import { components as story } from "./cell_words.js";
import { drawRun } from "./standalone.js";

const CARDS = { ...story, ...steps };

/** Draw the view that a page holds.
 * @param {Document} page
 * @param {Parameters<typeof drawRun>[1]} sent
 */
export function begin(page, sent) {
  const loupe = createLoupe(page);
  letSave(loupe);
  loupe.saving.provenance = sent.said;
  const { put } = drawRun(page, sent, loupe);
  const hint = element("p", { class: "loupe-note offline-hint" }, say("attention.not_in_file"));
  page.querySelector("footer").before(hint);
  for (const [name, setup] of Object.entries(CARDS)) put(name, setup, {});
  const show = () => {
    const isHere = cellInView(loupe) !== null;
    hint.hidden = isHere;
    for (const name of Object.keys(CARDS)) page.getElementById(name).hidden = !isHere;
  };
  const follow = (_loupe, { listen }) => {
    listen((what) => what === "selection" && show());
    return show;
  };
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

// The formulas of a cell's steps in plain letters: a page without a server has nobody who sets them.
const formulas = () => [
  "q = W^Q x,  k = W^K x",
  "q · k = Σ qᵢ kᵢ",
  "s = q · k / √d_k",
  `s′ = s ${say("attention.formula_may")} −∞`,
  "w = exp(s′ − max s′) / Σⱼ exp(s′ⱼ − max s′)",
  "w v",
  "head = Σⱼ wⱼ vⱼ",
  "output = Σ_h W^O_h head_h",
]; // in the order of the steps

export function putFormulas(card) {
  const all = formulas();
  card.querySelectorAll(".cell-formulas").forEach((place, i) => {
    place.replaceChildren(element("code", {}, all[i] ?? ""));
  });
}

// What is selected stands in the address of the page: the file and the place in it are one link.
const NUMBERS = ["layer", "head", "query", "key"];
const LONGEST = 300; // characters of such a link

/** What the end of an address selects: "#kind=cross-attention&layer=1&head=3".
 * @param {string} hash
 */
function linked(hash) {
  const asked = new URLSearchParams(hash.slice(1, LONGEST));
  const found = NUMBERS.filter((name) => /^\d{1,6}$/.test(asked.get(name) ?? "")).map((name) => [
    name,
    Number(asked.get(name)),
  ]);
  const kind = asked.get("kind");
  return { ...(kind ? { kind } : {}), ...Object.fromEntries(found) };
}

/** Keep the selection in the address, and follow an address that is written by hand.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 */
function followLink(loupe) {
  const keep = loupe.commit;
  loupe.commit = () => {
    keep();
    const { kind, layer, head, query, key } = loupe.selection;
    const named = Object.entries({ kind, layer, head, query, key }).map(([n, v]) => [n, String(v)]);
    history.replaceState(null, "", `#${new URLSearchParams(named)}`);
  };
  window.addEventListener("hashchange", () => loupe.select(linked(location.hash)));
}
