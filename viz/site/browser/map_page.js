// The map on the site: the whole model, and any of its tensors in full.

import { element } from "../../pictures/browser/elements.js";
import { numberText } from "../../pictures/browser/numbers.js";
import { components as panels } from "../../pictures/browser/panels.js";
import { packPanels } from "../../pictures/browser/panels_data.js";
import { TYPED, typedNow } from "../../pictures/browser/run.js";
import { language, say } from "../../pictures/browser/say.js";
import { headNumbers } from "../../pictures/browser/twin/tensor.js";
import { components as maps } from "../../subjects/map/browser/map.js";

/** @typedef {import("../../pictures/browser/types").Loupe} Loupe */
/** @typedef {import("../../pictures/browser/wire").WireTensorAxes} Axes */

const MOST_HEADS = 12; // maximum number of a tensor's heads to draw, as in viz/subjects/map/sections/tensor.py

/** Show the map, and the tensor of the block that was opened.
 * @param {HTMLElement} place
 * @param {import("./pages").Site} site
 * @param {(loupe: Loupe, place: HTMLElement, name: string, setup: any, data: any) => unknown} put
 */
export function mapPage(place, { loupe, address, model }, put) {
  const { tensors, ...sent } = model.map[language()];
  const names = tensors.flatMap((axes) => axes.names);
  const card = element("div", { class: "site-card st-key-card_map" });
  const shown = createTensor(loupe, tensors, (name) => show(name), put);
  place.append(element("h1", {}, say("map.question")), card, shown.node);
  const show = (name) => {
    loupe.tensor = name;
    address.put({ tensor: name });
    loupe.tell("selection"); // so that the map highlights its block
    shown.open(name);
  };
  const open = loupe.go;
  loupe.go = (page, changes) => {
    if (page === "map") show(changes.tensor);
    else open(page, changes);
  };
  const asked = address.get("tensor");
  if (names.includes(asked)) loupe.tensor = asked;
  let isDrawn = false;
  return () => {
    if (isDrawn) return shown.draw();
    isDrawn = true;
    const meta = { ...sent, run: TYPED, size: "large", tensor: loupe.tensor ?? null, lit: [] };
    put(loupe, card, "map", maps.map, { meta });
    if (loupe.tensor) shown.open(loupe.tensor);
  };
}

/** Make the card of one tensor: its name, its matrices, and the range of its values.
 * @param {Loupe} loupe
 * @param {Axes[]} tensors
 * @param {(name: string) => void} choose
 */
function createTensor(loupe, tensors, choose, put) {
  const choice = element(
    "select",
    { "aria-label": say("map.any_tensor"), onchange: ({ target }) => choose(target.value) },
    ...tensors.flatMap(({ names }) => names).map((name) => element("option", {}, name)),
  );
  const [place, range] = [element("div", {}), element("p", { class: "loupe-note" })];
  const node = element(
    "details",
    { class: "site-card st-key-card_tensor" },
    element("summary", {}, say("map.tensor_fold_site")),
    choice,
    place,
    range,
  );
  const draw = () => {
    const name = choice.value;
    const tensor = loupe.traces.get(TYPED)?.tensors[name];
    if (!node.open || !tensor) return;
    const axes = tensors.find(({ names }) => names.includes(name));
    put(loupe, place, "panels", panels.panels, panelsOf(name, axes, tensor, typedNow(loupe)));
    const [smallest, largest] = extremes(tensor.data).map((value) => numberText(value));
    range.textContent = say("map.values", { smallest, largest });
  };
  node.addEventListener("toggle", draw);
  return {
    node,
    draw,
    open(name) {
      choice.value = name;
      if (node.open) draw();
      else node.open = true; // the event of opening draws it
    },
  };
}

/** Turn a tensor into matrices, one for each head.
 * @param {string} name
 * @param {Axes} axes
 * @param {import("../../pictures/browser/twin/types").Tensor} tensor
 * @param {import("../../pictures/browser/live/types").Answer} answer
 */
function panelsOf(name, axes, tensor, { tokens: { source, target } }) {
  const { heads, rows, columns } = tensor;
  const texts = { source, read: target.slice(0, -1), written: target.slice(1) };
  const [rowTitle, columnTitle] = axes.titles;
  const isMask = name.endsWith(".mask");
  const one = (head) => {
    const values = headNumbers(tensor, head);
    return {
      title:
        heads > 1
          ? say("map.head", { head })
          : say("map.axes", { rows: rowTitle, columns: columnTitle }),
      code: heads > 1 ? "" : name,
      scale: /** @type {"weights" | "signed"} */ (axes.isProbability ? "weights" : "signed"),
      group: name,
      axes: axes.axes,
      values,
      rows,
      columns,
      rowTokens: rows === texts[axes.rows].length ? texts[axes.rows] : null,
      columnTokens: axes.columns && texts[axes.columns],
      rowTitle,
      columnTitle,
      isHidden: isMask ? (at) => !values[at] : null,
    };
  };
  const shown = Array.from({ length: Math.min(heads, MOST_HEADS) }, (_, head) => one(head));
  return packPanels(shown, heads === 1 ? { width: 520, height: 560 } : { width: 260, height: 300 });
}

function extremes(data) {
  let [smallest, largest] = [Infinity, -Infinity];
  for (const value of data) {
    if (!Number.isFinite(value)) continue;
    if (value < smallest) smallest = value;
    if (value > largest) largest = value;
  }
  return smallest > largest ? [0, 0] : [smallest, largest];
}
