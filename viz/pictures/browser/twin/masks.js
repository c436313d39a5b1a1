// The masks of attention: 1 if a query may attend to a key (see model/masks.py).

import { rowOf, tensor } from "./tensor.js";

/** Make a mask of some rows, the first of them at position `start`, over the keys with these ids.
 * @param {{rows: number, start?: number, ids: number[], causal?: boolean, window?: number, padding: number | null}} asked
 *   `padding` is the hidden id, or null; with `window`, a row of a causal mask sees that many keys
 */
export function maskOf({ rows, start = 0, ids, causal = false, window = 0, padding }) {
  const mask = tensor(1, rows, ids.length);
  for (let row = 0; row < rows; row++) {
    const into = rowOf(mask, row);
    const last = causal ? start + row : ids.length;
    const first = causal && window ? last - window + 1 : 0;
    for (const [key, id] of ids.entries())
      into[key] = Number(id !== padding && key >= first && key <= last);
  }
  return mask;
}
