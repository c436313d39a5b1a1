// A head under masks, as matrices side by side: what may be read, the weights, and the effect of a switched mask.

import { packPanels } from "../../../pictures/browser/panels_data.js";
import { say } from "../../../pictures/browser/say.js";
import { headNumbers } from "../../../pictures/browser/twin/tensor.js";
import { axesOf, leakingCells, pathOf, switched } from "./mask_runs.js";

/** @typedef {import("./mask_runs").MaskRun} MaskRun */

/** Return the matrices of the head in view.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {{own: MaskRun, shown: MaskRun, after: MaskRun}} runs under the model's own masks, under the chosen ones,
 * and under the ones that are switched to measure the difference
 */
export function maskPanels(loupe, { own, shown, after }) {
  const place = loupe.selection;
  const { kind, layer, head } = place;
  const { rows, keys, realRows } = axesOf(shown.padded, kind);
  const size = realRows * keys.length;
  const name = pathOf(kind, layer, "weights");
  const weightsOf = ({ tensors }) => headNumbers(tensors[name], head).subarray(0, size);
  const [weights, before, changed] = [shown, own, after].map(weightsOf);
  const mask = shown.masks[kind].data.subarray(0, size);
  const leaks = leakingCells(after, place);
  const [rowTitle, columnTitle] = loupe.run().axes[kind];
  const axes = {
    group: kind,
    rows: realRows,
    columns: keys.length,
    rowTokens: rows.slice(0, realRows),
    columnTokens: keys,
    rowTitle,
    columnTitle: kind === "decoder self-attention" ? say("masks.keys") : columnTitle,
  };
  /** @type {import("../../../pictures/browser/panels_data").Matrix[]} */
  const matrices = [
    {
      ...axes,
      title: say("masks.mask"),
      values: mask,
      scale: "mask",
      isHidden: (at) => !mask[at],
    },
    {
      ...axes,
      title: say("masks.weights_now"),
      values: weights,
      scale: "weights",
      isHidden: (at) => !mask[at] && weights[at] === 0,
      marks: leakingCells(shown, place),
    },
    {
      ...axes,
      title: changeTitle(shown, after),
      note: leaks.length ? say("masks.leaking", { count: leaks.length }) : say("masks.no_leak"),
      values: changed.map((weight, at) => weight - before[at]),
      scale: "signed",
    },
  ];
  return packPanels(matrices, { width: 240, height: 300, cell: 20, selects: true });
}

function changeTitle(shown, after) {
  const [name] = switched(shown.switches, after.switches);
  if (!name) return say("masks.weights_change");
  return after.switches[name] ? say("masks.weights_with") : say("masks.weights_without");
}
