// Token embeddings and their positions (sections 3.4 and 3.5 of the paper): see model/embedding.py.

import { rowsOfMatrix } from "./matrix.js";
import { positions } from "./positions.js";
import { add, rowOf, tensor } from "./tensor.js";

/** Embed ids of which the first stands at position `start`.
 * @param {import("./types").Config} config
 * @param {import("./types").Module} module
 * @param {string} name of the module, as edits name it
 * @param {number[]} ids
 * @param {number} start
 * @param {import("./types").Edits} edits
 */
export function embed(config, module, name, ids, start, edits) {
  const size = config.d_model;
  const scale = config.scale_embeddings ? Math.sqrt(size) : 1;
  const found = tensor(1, ids.length, size);
  for (const [row, id] of ids.entries()) {
    const into = rowOf(found, row);
    const numbers = rowsOfMatrix(module.weight, size, id);
    for (let i = 0; i < size; i++) into[i] = numbers[i] * scale;
  }
  const tokens = edits.apply(`${name}.tokens`, found, start);
  const places = positions(config.positions, module.learned?.weight, start, ids.length, size);
  const encodings = edits.apply(`${name}.positions`, places, start);
  return edits.apply(`${name}.output`, add(tokens, encodings), start);
}
