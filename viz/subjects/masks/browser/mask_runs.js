// Runs a padded sentence with masks on or off, and finds where a switched mask matters: see viz/subjects/masks/lab.py.

import { NO_EDITS } from "../../../pictures/browser/twin/changes.js";
import { bestOf, firstId } from "../../../pictures/browser/twin/decoding.js";
import { maskOf } from "../../../pictures/browser/twin/masks.js";
import { linear, rowOf } from "../../../pictures/browser/twin/tensor.js";
import { traceOf } from "../../../pictures/browser/twin/trace.js";

/** @typedef {import("../../../pictures/browser/wire").AttentionKind} Kind */
/** @typedef {import("../../../pictures/browser/twin/types").Tensor} Tensor */
/** @typedef {"encoder_padding" | "causal" | "target_padding" | "cross_padding"} Switch */
/** @typedef {Record<Switch, boolean>} Switches */
/** A padded sentence: the ids that are read and written, their names, and how many of them are not padding.
 * @typedef {{source: number[], target: number[], names: Record<"source" | "read" | "written", string[]>,
 *   lengths: Record<"source" | "target", number>}} Padded
 */
/** A pass under some switches.
 * @typedef {{switches: Switches, padded: Padded, tensors: Record<string, Tensor>, logits: Tensor,
 *   masks: Record<Kind, Tensor>, hidden: Record<Kind, Tensor>}} MaskRun
 * `hidden`: 0 where the paper's masks hide a key, regardless of the switches
 */
/** @typedef {{kind: Kind, layer: number, head: number, row: number, key: number, moved: number}} Telling */

/** Where each switch acts, and which keys it hides.
 * @type {Record<Switch, [Kind, "padding" | "future"]>}
 */
export const HIDES = {
  encoder_padding: ["encoder self-attention", "padding"],
  causal: ["decoder self-attention", "future"],
  target_padding: ["decoder self-attention", "padding"],
  cross_padding: ["cross-attention", "padding"],
};
export const SWITCHES = /** @type {Switch[]} */ (Object.keys(HIDES));

/** @type {Record<Kind, string>} */
const PATHS = {
  "encoder self-attention": "encoder.layers.{layer}.self_attn",
  "decoder self-attention": "decoder.layers.{layer}.self_attn",
  "cross-attention": "decoder.layers.{layer}.cross_attn",
};
const MARKED = 0.005; // smallest weight at which a cell that should be hidden is marked
const MOVED = 1e-6; // smallest change of a weight that is more than rounding
const LONG = 4; // letters from which a word probably has a meaning of its own

/** Return the path of a tensor of a kind of attention.
 * @param {Kind} kind
 * @param {number} layer
 * @param {string} part
 */
export const pathOf = (kind, layer, part) =>
  `${PATHS[kind].replace("{layer}", String(layer))}.${part}`;

/** Return the switches as the model's configuration sets them.
 * @param {import("../../../pictures/browser/twin/types").Config} config
 * @returns {Switches}
 */
export const ownSwitches = (config) => ({
  encoder_padding: config.encoder_padding_mask,
  causal: config.causal_mask,
  target_padding: config.decoder_padding_mask,
  cross_padding: config.decoder_padding_mask,
});

/** Add padding after a sentence and after what was written for it.
 * @param {import("../../../pictures/browser/twin/types").Model} model
 * @param {import("../../../pictures/browser/live/types").Answer} answer
 * @param {{id: number, name: string}} pad
 * @param {number} count
 * @returns {Padded}
 */
export function padded(model, { read, written, tokens }, pad, count) {
  const [ids, names] = [Array(count).fill(pad.id), Array(count).fill(pad.name)];
  return {
    source: [...read.ids, ...ids],
    target: [firstId(model, read.ids), ...written.slice(0, -1), ...ids],
    names: {
      source: [...tokens.source, ...names],
      read: [...tokens.target.slice(0, -1), ...names],
      written: [...tokens.target.slice(1), ...names],
    },
    lengths: { source: read.ids.length, target: written.length },
  };
}

/** Return the names of the rows and columns of a kind, and how many of them are not padding.
 * @param {Padded} padded
 * @param {Kind} kind
 */
export function axesOf({ names, lengths }, kind) {
  const encodes = kind === "encoder self-attention";
  const written = kind === "decoder self-attention";
  return {
    rows: encodes ? names.source : names.written,
    keys: written ? names.read : names.source,
    realRows: encodes ? lengths.source : lengths.target,
    realKeys: written ? lengths.target : lengths.source,
  };
}

/** Run a padded sentence under switches.
 * @param {import("../../../pictures/browser/twin/types").Model} model
 * @param {Padded} padded
 * @param {Switches} switches
 * @returns {MaskRun}
 */
export function runUnder(model, padded, switches) {
  const masks = masksUnder(model.config, padded, switches);
  const byPath = Object.fromEntries(
    Object.entries(masks).map(([kind, mask]) => [
      pathOf(/** @type {Kind} */ (kind), 0, "mask"),
      mask,
    ]),
  );
  const edits = {
    ...NO_EDITS,
    needAllRows: true,
    apply: (name, value) => byPath[name.replace(/layers\.\d+/, "layers.0")] ?? value,
  };
  const [, ...written] = padded.target;
  const { tensors } = traceOf(model, padded.source, [...written, 0], edits); // the last id has no row
  return {
    switches,
    padded,
    tensors,
    logits: linear(tensors["decoder.output"], model.parameters.generator),
    masks,
    hidden: masksUnder(model.config, padded, {
      encoder_padding: true,
      causal: true,
      target_padding: true,
      cross_padding: true,
    }),
  };
}

/** @returns {Record<Kind, Tensor>} */
function masksUnder({ pad_id: pad }, { source, target }, switches) {
  const padding = (name) => (switches[name] ? pad : null);
  const rows = target.length;
  return {
    "encoder self-attention": maskOf({
      rows: source.length,
      ids: source,
      padding: padding("encoder_padding"),
    }),
    "decoder self-attention": maskOf({
      rows,
      ids: target,
      causal: switches.causal,
      padding: padding("target_padding"),
    }),
    "cross-attention": maskOf({ rows, ids: source, padding: padding("cross_padding") }),
  };
}

/** Return the switches that have changed.
 * @param {Switches} before
 * @param {Switches} now
 */
export const switched = (before, now) => SWITCHES.filter((name) => before[name] !== now[name]);

/** Return the cell in which a switched mask matters most, or null. Rows of long words are preferred, with keys that are
 * long words or padding.
 * @param {MaskRun} before
 * @param {MaskRun} now
 * @param {Switch[]} names the switches to look at
 * @returns {Telling | null}
 */
export function tellingCell(before, now, names = switched(before.switches, now.switches)) {
  /** @type {Telling[]} */
  const found = [];
  for (const name of names) {
    const cells = movedCells(before, now, ...HIDES[name]).filter(({ moved }) => moved > MOVED);
    const { rows, keys, realKeys } = axesOf(now.padded, HIDES[name][0]);
    const telling = cells.filter(
      ({ row, key }) => isLong(rows[row]) && (key >= realKeys || isLong(keys[key])),
    );
    const most = mostMoved(telling.length ? telling : cells);
    if (most) found.push(most);
  }
  return mostMoved(found);
}

const mostMoved = (cells) =>
  cells.reduce((best, cell) => (best && best.moved >= cell.moved ? best : cell), null);

const isLong = (token) =>
  [...token].length >= LONG && /\p{L}/u.test(token) && !token.startsWith("<");

// Return the cells that the paper's masks hide for one reason, with the change of weight of each.
function movedCells(before, now, kind, sort) {
  const { realRows, realKeys } = axesOf(now.padded, kind);
  const hidden = now.hidden[kind];
  const cells = [];
  for (let layer = 0; pathOf(kind, layer, "weights") in now.tensors; layer++) {
    const name = pathOf(kind, layer, "weights");
    const [was, is] = [before.tensors[name], now.tensors[name]];
    for (let head = 0; head < is.heads; head++)
      for (let row = 0; row < realRows; row++)
        for (let key = 0; key < is.columns; key++) {
          if (rowOf(hidden, row)[key] || key >= realKeys !== (sort === "padding")) continue;
          const far = Math.abs(rowOf(is, row, head)[key] - rowOf(was, row, head)[key]);
          cells.push({ kind, layer, head, row, key, moved: Number.isNaN(far) ? 1 : far });
        }
  }
  return cells;
}

/** Return the cells of a head that have weight although the paper's masks would hide them.
 * @param {MaskRun} run
 * @param {{kind: Kind, layer: number, head: number}} of
 * @returns {[number, number][]}
 */
export function leakingCells({ tensors, hidden, padded }, { kind, layer, head }) {
  const weights = tensors[pathOf(kind, layer, "weights")];
  const { realRows } = axesOf(padded, kind);
  const cells = [];
  for (let row = 0; row < realRows; row++)
    for (const [key, weight] of rowOf(weights, row, head).entries())
      if (!rowOf(hidden[kind], row)[key] && weight > MARKED) cells.push([row, key]);
  return cells;
}

/** Return one row of a head from its scores to its weights, key by key, with the reason why a key is hidden, if it is.
 * @param {MaskRun} run
 * @param {{kind: Kind, layer: number, head: number, row: number}} of
 * @param {number} fill the score of hidden keys
 */
export function stepsOf({ tensors, masks, padded }, { kind, layer, head, row }, fill) {
  const { keys, realKeys } = axesOf(padded, kind);
  const part = (name) => rowOf(tensors[pathOf(kind, layer, name)], row, head);
  const [scores, weights, mask] = [part("scores"), part("weights"), rowOf(masks[kind], row)];
  return keys.map((key, at) => ({
    key,
    score: scores[at],
    masked: mask[at] ? scores[at] : fill,
    weight: weights[at],
    why: mask[at] ? null : at >= realKeys ? "padding" : "future",
  }));
}

/** Return the rows in which another token is now the most probable (its id before and now), and the number of rows.
 * @param {MaskRun} before
 * @param {MaskRun} now
 */
export function changedOutput(before, now) {
  const count = now.padded.lengths.target;
  const changed = [];
  for (let row = 0; row < count; row++) {
    const [was, is] = [bestOf(rowOf(before.logits, row)), bestOf(rowOf(now.logits, row))];
    if (was !== is) changed.push({ was, is });
  }
  const isLost = rowOf(now.logits, 0).some(Number.isNaN);
  return { changed, count, isLost };
}
