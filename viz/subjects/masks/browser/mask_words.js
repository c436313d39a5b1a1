// Describes in sentences what masks do: see viz/subjects/masks/words.py.

import { percentText } from "../../../pictures/browser/numbers.js";
import { listed, say, sayOf } from "../../../pictures/browser/say.js";
import { rowOf } from "../../../pictures/browser/twin/tensor.js";
import { axesOf, changedOutput, HIDES, pathOf, switched, tellingCell } from "./mask_runs.js";

/** @typedef {import("./mask_runs").MaskRun} MaskRun */
/** @typedef {import("./mask_runs").Telling} Telling */
/** @typedef {import("./mask_runs").Switch} Switch */

const MOST_LISTED = 8;

/** Describe the purpose of a model's causal mask, measured by switching it.
 * @param {MaskRun} own under the model's own masks
 * @param {MaskRun} other with the causal mask switched
 * @param {Telling | null} cell where the difference is largest
 */
export function answerOf(own, other, cell) {
  if (!own.switches.causal) {
    const said = say("masks.answer_open");
    return cell ? `${said} ${say("masks.reads_ahead", readThere(own, cell))}` : said;
  }
  const said = say("masks.reading_back");
  return cell ? `${said} ${say("masks.without_it", readThere(other, cell))}` : said;
}

function readThere({ tensors, padded }, { kind, layer, head, row, key }) {
  const { rows, keys } = axesOf(padded, kind);
  const weight = rowOf(tensors[pathOf(kind, layer, "weights")], row, head)[key];
  return { reader: rows[row], read: keys[key], share: percentText(weight) };
}

/** Describe what the switches let through, and how that changes the output.
 * @param {MaskRun} own
 * @param {MaskRun} changed
 * @param {(id: number) => string} nameOf returns the name of a token that may be written
 */
export function resultsOf(own, changed, nameOf) {
  const said = switched(own.switches, changed.switches).map((name) => resultOf(own, changed, name));
  return said.length ? [...said, outputSaid(own, changed, nameOf)] : [say("masks.unchanged")];
}

function resultOf(own, changed, name) {
  const label = sayOf("masks.switch", name);
  if (changed.switches[name]) return say("masks.switched_on", { label });
  const off = say("masks.switched_off", { label });
  const cell = tellingCell(own, changed, [name]);
  if (cell) return `${off} ${say("masks.gives", readThere(changed, cell))}`;
  const [kind, sort] = HIDES[name];
  const { keys, realKeys } = axesOf(changed.padded, kind);
  const why = sort === "future" ? "no_future" : "padding_behind";
  const isWhole = sort === "padding" && keys.length === realKeys;
  return `${off} ${sayOf("masks.nothing", isWhole ? "no_padding" : why)}`;
}

function outputSaid(own, now, nameOf) {
  const { changed, count, isLost } = changedOutput(own, now);
  if (isLost) return say("masks.output_nan");
  if (!changed.length) return say("masks.output_same");
  const [first] = changed;
  const words = { old: nameOf(first.was), new: nameOf(first.is) };
  return say("masks.output_changed", { ...words, changed: changed.length, count });
}

/** Describe which keys a row may read, and why it may not read the others.
 * @param {string} reader
 * @param {ReturnType<typeof import("./mask_runs").stepsOf>} steps of the row
 */
export function rowSaid(reader, steps) {
  const hidden = (why) => steps.filter((step) => step.why === why).map(({ key }) => key);
  const [future, padding] = [hidden("future"), hidden("padding")];
  const count = steps.length - future.length - padding.length;
  if (count === steps.length) return say("masks.row_all", { reader });
  const said = [say("masks.row_some", { reader, count, total: steps.length })];
  if (future.length)
    said.push(say("masks.row_future", { count: future.length, listed: some(future) }));
  if (padding.length) said.push(say("masks.row_padding", { count: padding.length }));
  return said.join(" ");
}

const some = (tokens) =>
  tokens.length > MOST_LISTED
    ? `${tokens.slice(0, MOST_LISTED).join(", ")} …`
    : `${listed(tokens)}.`;
