// Thumbnails of heads.

import { context2d, hatchCells, paintCells } from "../../../pictures/browser/canvas.js";
import { drawnHead } from "../../../pictures/browser/run.js";
import { CODE_MASKED, weightColour } from "../../../pictures/browser/weights.js";

// One head in a square of `side` pixels, as wide and high as its matrix allows.
export function paintThumb(canvas, stack, layer, head, side, palette) {
  const { rows, columns, codes } = drawnHead(stack, layer, head);
  const cell = side / Math.max(rows, columns);
  const context = context2d(canvas, columns * cell, rows * cell);
  const place = { x: 0, y: 0, cell, gap: 0 };
  paintCells(context, rows, columns, place, (row, column) =>
    weightColour(codes[row * columns + column], palette),
  );
  if (cell > 3)
    hatchCells(
      context,
      rows,
      columns,
      place,
      (r, c) => codes[r * columns + c] === CODE_MASKED,
      palette.hatch,
    );
}
