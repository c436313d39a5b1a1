// Thumbnails of heads.

import { hatchCells, paintSmall } from "../../../pictures/browser/canvas.js";
import { drawnHead } from "../../../pictures/browser/run.js";
import { CODE_MASKED, weightColour } from "../../../pictures/browser/weights.js";
import { strengthOf } from "./patches.js";

// Paint one head in a square of `side` pixels, as wide and high as its matrix allows; `tokens` are the ones read.
export function paintThumb(canvas, { stack, tokens }, layer, head, side, palette) {
  const { rows, columns, codes } = drawnHead(stack, layer, head);
  const strength = strengthOf(tokens, codes);
  const { context, place } = paintSmall(canvas, rows, columns, side, (row, column) =>
    weightColour(strength(codes[row * columns + column]), palette),
  );
  const isMasked = (row, column) => codes[row * columns + column] === CODE_MASKED;
  if (place.cell > 3) hatchCells(context, rows, columns, place, isMasked, palette.hatch);
}
