// The cell in view, computed from the browser's own run: it stands there until Python's is here.

import { createFreshness } from "../../../pictures/browser/made.js";
import { TYPED } from "../../../pictures/browser/run.js";
import { norm } from "../../../pictures/browser/twin/norms.js";
import { rowOf, tensor } from "../../../pictures/browser/twin/tensor.js";
import { cellOf, summed } from "./cell_arithmetic.js";

const TOLERANCE = 1e-4; // as in cell/recompute.py
const LINES = {
  query: "query",
  key: "key",
  score: "scores",
  weights: "weights",
  value: "value",
  mix: "heads",
  output: "output",
}; // as in cell/explain.py: lines that are held against a captured tensor, and which one

/** Draw each cell at once that is chosen, and again as Python sends it; gives what takes Python's.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {import("../../../pictures/browser/types").Place} place
 * @param {(cell: import("./wire").WireCell) => void} put
 */
export function followCells(loupe, { host, listen, signal }, put) {
  const freshness = loupe.part(createFreshness);
  let made = {};
  let shown = null;
  let sent = null; // Python's latest: if the same cell is chosen again, Python has nothing new to send
  const isSent = () => sent !== null && freshness.isOf(sent.made ?? {});
  const show = (cell, isOwn) => {
    made = cell.made ?? {};
    shown = cell;
    freshness.put(host, made, isOwn);
    put(cell);
  };
  listen((what) => {
    if (what === "hover") return;
    if (isSent() && shown !== sent) return show(sent, false);
    const isOther = what === "run" && loupe.selection?.run === TYPED; // under the same key
    const own = freshness.isOf(made) && !isOther ? null : ownCell(loupe);
    if (own) show(own, true);
    else freshness.show();
  });
  signal.addEventListener("abort", () => freshness.forget(host));
  return (cell) => {
    sent = cell;
    const own = isSent() ? null : ownCell(loupe);
    show(own ?? cell, Boolean(own));
  };
}

/** Compute the cell in view; null where the browser did not run what is in view.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @returns {import("./wire").WireCell | null}
 */
export function ownCell(loupe) {
  const { selection } = loupe;
  const own = loupe.traces.get(selection?.run);
  const run = loupe.run();
  if (!own || !run) return null;
  const stack = run.kinds[selection.kind];
  const name = stack.name.replace("{layer}", String(selection.layer)).replace(/\.weights$/, "");
  return cellOf(attentionOf(own, name), selection, run, TOLERANCE);
}

/** What one attention captured.
 * @param {import("../../../pictures/browser/types").Tensors} own
 * @param {string} name
 * @returns {import("./types").Attention}
 */
function attentionOf(own, name) {
  const { model, tensors, touched } = own;
  const { config } = model;
  const at = (part) => tensors[`${name}.${part}`];
  const { weight, bias } = moduleAt(model.parameters, name).output;
  const heads = [...Array(config.n_heads).keys()];
  return {
    name,
    heads,
    keyHeads: heads,
    read: heads,
    scale: config.d_k ** -0.5,
    softcap: null,
    fill: config.mask_fill === "-inf" ? -Infinity : config.mask_fill,
    edited: touched.includes(`${name}.scores`),
    changed: Object.keys(LINES).filter((line) => touched.includes(`${name}.${LINES[line]}`)),
    sinks: false,
    query: at("query"),
    key: at("key"),
    value: at("value"),
    scores: at("scores"),
    weights: at("weights"),
    mask: at("mask"),
    mixes: at("heads"),
    output: at("output"),
    projection: tensor(1, config.d_model, weight.length / config.d_model, weight),
    bias: bias ?? null,
    added: null,
    projected: (part, head, position, shown) => projected(own, name, part, head, position, shown),
  };
}

const moduleAt = (parameters, name) =>
  name.split(".").reduce((module, part) => module[part], parameters);

// How far a vector is from its head's rows of the projection, in float64.
/** @param {any} own */
function projected({ model, tensors }, name, part, head, position, shown) {
  const input = inputOf(model, tensors, name, part);
  const x = rowOf(input, position);
  const { weight, bias } = moduleAt(model.parameters, name)[part];
  const apart = Array.from(shown, (value, i) => {
    const row = head * shown.length + i;
    const terms = Array.from(x, (each, j) => each * weight[row * x.length + j]);
    return summed(value, bias ? [...terms, bias[row]] : terms);
  });
  return Math.max(...apart);
}

// What a projection reads; where the norm stands before the attention, it reads what that gives.
function inputOf({ config, parameters }, tensors, name, part) {
  const [layer, attention] = [name.replace(/\.\w+$/, ""), name.split(".").at(-1)];
  if (attention === "cross_attn" && part !== "query") return tensors["encoder.output"];
  const input = tensors[`${layer}.${attention === "cross_attn" ? "after_self_attn" : "input"}`];
  return config.norm_placement === "pre"
    ? norm(config, moduleAt(parameters, `${name}_norm`), input)
    : input;
}
