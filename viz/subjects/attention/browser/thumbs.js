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

// All three kinds of one layer and head: (encoder | cross ; - | decoder), columns reading rows.
export function paintCombined(canvas, run, layer, head, side, palette) {
  const sources = run.kinds["encoder self-attention"].drawn[0];
  const targets = run.kinds["decoder self-attention"].drawn[0];
  const gap = 2;
  const cell = (side - gap) / (sources + targets);
  const context = context2d(canvas, side, side);
  /** @type {[import("../../../pictures/browser/wire").AttentionKind, number, number][]} */
  const blocks = [
    ["encoder self-attention", 0, 0],
    ["cross-attention", sources * cell + gap, 0],
    ["decoder self-attention", sources * cell + gap, sources * cell + gap],
  ];
  for (const [kind, x, y] of blocks) {
    const stack = run.kinds[kind];
    if (layer >= stack.layers) continue;
    const { rows, columns, codes } = drawnHead(stack, layer, head);
    paintCells(context, columns, rows, { x, y, cell, gap: 0 }, (key, query) =>
      weightColour(codes[query * columns + key], palette),
    );
    context.strokeStyle = palette.line;
    context.strokeRect(x + 0.5, y + 0.5, rows * cell - 1, columns * cell - 1);
  }
}
