// Matrices in the form in which Python sends panels; see viz/pictures/panels.py.

import { tableOf } from "../../alone/browser/page.js";

/** A matrix to draw, with its axes; see Panel in viz/pictures/panels.py.
 * @typedef {object} Matrix
 * @property {string} title
 * @property {ArrayLike<number>} values
 * @property {number} rows
 * @property {number} columns
 * @property {"weights" | "signed" | "mask"} scale
 * @property {string} group
 * @property {[string, string]} [axes]
 * @property {string} [code]
 * @property {string} [note]
 * @property {string[] | null} [rowTokens]
 * @property {string[] | null} [columnTokens]
 * @property {string} rowTitle
 * @property {string} columnTitle
 * @property {((at: number) => boolean) | null} [isHidden] returns whether the number at an index is hatched
 * @property {[number, number][]} [marks]
 */

/** Pack matrices as Python does.
 * @param {Matrix[]} matrices
 * @param {{width: number, height: number, cell?: number, selects?: boolean, chooses?: boolean}} how
 *   `selects`: a click selects a query and a key; `chooses`: a click is reported to the code that shows the panels
 */
export function packPanels(
  matrices,
  { width, height, cell = 22, selects = false, chooses = false },
) {
  const sizes = matrices.map(({ rows, columns }) => rows * columns);
  const values = new Float32Array(sizes.reduce((sum, size) => sum + size, 0));
  const masks = new Uint8Array(values.length);
  let offset = 0;
  const panels = matrices.map((matrix, at) => {
    const { isHidden = null, values: numbers, ...said } = matrix;
    const first = offset;
    offset += sizes[at];
    values.set(numbers, first);
    if (isHidden) for (let i = 0; i < sizes[at]; i++) masks[first + i] = Number(isHidden(i));
    const isDrawn = (_value, i) => said.scale !== "signed" || !masks[first + i];
    return {
      ...{ axes: ["query", "key"], code: "", note: "", rowTokens: null, columnTokens: null },
      ...{ marks: [], first: [0, 0] },
      ...said,
      largest: largestDrawn(numbers, isDrawn),
      offset: first,
      masked: isHidden ? first : null,
      selects,
    };
  });
  return {
    meta: { panels, selects, chooses, width, height, cell },
    values: tableOf(values),
    masks: tableOf(masks),
  };
}

function largestDrawn(numbers, isDrawn) {
  let largest = 0;
  for (let i = 0; i < numbers.length; i++) {
    const size = Math.abs(numbers[i]);
    if (size > largest && Number.isFinite(size) && isDrawn(numbers[i], i)) largest = size;
  }
  return largest;
}
