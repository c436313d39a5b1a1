// Which key each query may attend to: 1 where it may (see model/masks.py).

import { rowOf, tensor } from "./tensor.js";

/** A mask of so many rows, the first at position `start`, over the keys with these ids.
 * @param {{rows: number, start?: number, ids: number[], causal?: boolean, padding: number | null}} asked
 *   `padding` is the id that is hidden; null where none is
 */
export function maskOf({ rows, start = 0, ids, causal = false, padding }) {
  const mask = tensor(1, rows, ids.length);
  for (let row = 0; row < rows; row++) {
    const into = rowOf(mask, row);
    for (const [key, id] of ids.entries())
      into[key] = Number(id !== padding && (!causal || key <= start + row));
  }
  return mask;
}
