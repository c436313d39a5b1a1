// A view of attention in one file: the pictures of standalone.js, the arithmetic of its cells, and links to its cells.

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

// Print on a light page, with canvases as vectors.
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

// The formulas of a cell's steps in plain letters, because a page without a server cannot typeset them.
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

// The address of the page contains the selection, so that a link leads to a cell of the file.
const NUMBERS = ["layer", "head", "query", "key"];
const LONGEST = 300; // characters of the selection in a link

/** Return what the end of an address selects: "#kind=cross-attention&layer=1&head=3".
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

/** Keep the selection in the address, and follow an address that a person changes.
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
