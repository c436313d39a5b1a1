// The weights of one head, or of all heads of a kind, as a table: unrounded if Python can be asked.

import { axisTokens, layerNumber, wholeHead } from "../../../pictures/browser/run.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { CODE_NAN, weightOf } from "../../../pictures/browser/weights.js";

/** Return the weights in view.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {"head" | "all"} which heads
 */
export async function weightsTable(loupe, which) {
  const { kind } = loupe.selection;
  const stack = loupe.stack(kind);
  const { layers, heads, rows, columns, first: before = 0 } = stack;
  const exact = loupe.saving.ask ? await askedFor(loupe, kind) : null;
  const tokens = axisTokens(loupe, kind);
  const table = [];
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0; head < heads; head++) {
      if (which === "head" && !isChosen(loupe.selection, layer, head)) continue;
      const first = (layer * heads + head) * rows * columns;
      const weights =
        exact?.subarray(first, first + rows * columns) ?? rounded(loupe, kind, layer, head);
      for (const [i, weight] of weights?.entries() ?? []) {
        const [query, key] = [Math.floor(i / columns), i % columns];
        const place = [layerNumber(stack, layer), head, before + query];
        table.push([...place, tokens.rows[query], key, tokens.columns[key], weight]);
      }
    }
  const place = { layer: "whole", head: "whole", query: "whole", "query token": "text" };
  const weight = exact ? "weight" : "weight, to 0.00002";
  return tableOf({ ...place, key: "whole", "key token": "text", [weight]: "single" }, table);
}

const isChosen = (selection, layer, head) => selection.layer === layer && selection.head === head;

async function askedFor(loupe, kind) {
  const bytes = await loupe.saving.ask({ what: "weights", kind });
  return new Float32Array(bytes.buffer);
}

// Return the weights as they were sent for the picture.
function rounded(loupe, kind, layer, head) {
  const whole = wholeHead(loupe, kind, layer, head);
  return (
    whole &&
    Float32Array.from(whole.codes, (code) => (code === CODE_NAN ? Number.NaN : weightOf(code)))
  );
}
