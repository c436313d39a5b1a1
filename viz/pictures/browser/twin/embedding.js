// Token embeddings and their positions (sections 3.4 and 3.5 of the paper), as in model/embedding.py.

import { rowsOfMatrix } from "./matrix.js";
import { norm } from "./norms.js";
import { fixedPositions } from "./positions.js";
import { add, rowOf, tensor } from "./tensor.js";

/** @typedef {import("./types").Config} Config */
/** @typedef {import("./types").Module} Module */
/** @typedef {import("./types").Tensor} Tensor */

/** Embed ids, the first of them at position `start`. All belong to the first segment of text.
 * @param {Config} config
 * @param {Module} module
 * @param {string} name the module's name in edits
 * @param {number[]} ids
 * @param {number} start
 * @param {import("./types").Edits} edits
 */
export function embed(config, module, name, ids, start, edits) {
  const size = config.d_model;
  const scale = config.scale_embeddings ? Math.sqrt(size) : 1;
  const found = tensor(1, ids.length, size);
  for (const [row, id] of ids.entries()) {
    const [into, from] = [rowOf(found, row), rowsOfMatrix(module.weight, size, id)];
    for (let i = 0; i < size; i++) into[i] = from[i] * scale;
  }
  const tokens = edits.apply(`${name}.tokens`, found, start);
  const encodings = edits.apply(`${name}.positions`, positions(config, module, ids, start), start);
  let sum = tokens;
  if (module.segments) {
    const kind = repeated(rowsOfMatrix(module.segments.weight, size, 0), ids.length);
    sum = add(sum, edits.apply(`${name}.segments`, kind, start)); // first, to round as BERT's own code does
  }
  sum = add(sum, encodings);
  if (module.norm) sum = norm(config, module.norm, sum);
  return edits.apply(`${name}.output`, sum, start);
}

/** @param {Float32Array} row @returns {Tensor} */
function repeated(row, count) {
  const rows = tensor(1, count, row.length);
  for (let i = 0; i < count; i++) rowOf(rows, i).set(row);
  return rows;
}

/** Return the encodings of ids, the first of them at position `start`.
 * @param {Config} config
 * @param {Module} module
 * @param {number[]} ids
 * @param {number} start
 */
function positions(config, { learned }, ids, start) {
  const size = config.d_model;
  if (!learned) return fixedPositions(config.positions, start, ids.length, size);
  const offset = config.position_offset;
  const most = learned.weight.length / size - offset;
  if (start + ids.length > most)
    throw new Error(
      `this model learned ${most} positions, got a sequence of ${start + ids.length} tokens`,
    );
  const encodings = tensor(1, ids.length, size);
  let counted = 0; // in RoBERTa, a token with the id of padding gets the row before the first position
  for (const [row, id] of ids.entries()) {
    const isSkipped = config.positions_skip_padding && id === config.pad_id;
    const place = config.positions_skip_padding ? counted : start + row;
    rowOf(encodings, row).set(
      rowsOfMatrix(learned.weight, size, offset + (isSkipped ? -1 : place)),
    );
    if (!isSkipped) counted++;
  }
  return encodings;
}
