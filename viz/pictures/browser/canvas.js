// Drawing on a canvas: sharp lines, cells of weights, and texts shortened to fit.

import { cssColour } from "./colours.js";
import { element } from "./elements.js";
import { written } from "./saving/recorder.js";

// Return a sharp 2-D context of a given size in CSS pixels.
export function context2d(canvas, width, height) {
  const ratio = Math.max(1, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return written(context, width, height);
}

// Draw a matrix into a rectangle, one fill for each cell; `colourOf(row, column)` gives [r, g, b].
// Cells without gaps are painted as one image, which is as sharp and much faster.
export function paintCells(context, rows, columns, { x, y, cell, high = cell, gap }, colourOf) {
  if (gap) {
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        context.fillStyle = cssColour(colourOf(row, column));
        context.fillRect(x + column * cell, y + row * high, cell - gap, high - gap);
      }
    return;
  }
  const image = new ImageData(columns, rows);
  for (let row = 0, i = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const [r, g, b] = colourOf(row, column);
      image.data[i++] = r;
      image.data[i++] = g;
      image.data[i++] = b;
      image.data[i++] = 255;
    }
  context.imageSmoothingEnabled = false;
  context.drawImage(canvasOf(image), x, y, columns * cell, rows * high);
}

// Draw a matrix without its tokens in a square of `side` pixels. Return the context and the place of the cells.
export function paintSmall(canvas, rows, columns, side, colourOf) {
  const place = { x: 0, y: 0, cell: side / Math.max(rows, columns), gap: 0 };
  const context = context2d(canvas, columns * place.cell, rows * place.cell);
  paintCells(context, rows, columns, place, colourOf);
  return { context, place };
}

let last = null; // the canvas of the latest image, reused because the next is usually of the same size

function canvasOf(image) {
  const { width, height } = image;
  if (last?.width !== width || last.height !== height) last = element("canvas", { width, height });
  last.getContext("2d").putImageData(image, 0, 0);
  return last;
}

// Draw slanted lines over the masked cells.
export function hatchCells(context, rows, columns, { x, y, cell, high = cell }, isMasked, colour) {
  context.save();
  context.beginPath();
  for (let row = 0; row < rows; row++) {
    let start = -1;
    for (let column = 0; column <= columns; column++) {
      const masked = column < columns && isMasked(row, column);
      if (masked && start < 0) start = column;
      if (!masked && start >= 0) {
        context.rect(x + start * cell, y + row * high, (column - start) * cell, high);
        start = -1;
      }
    }
  }
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  const width = columns * cell;
  const height = rows * high;
  for (let offset = -height; offset < width; offset += 6) {
    context.moveTo(x + offset, y + height);
    context.lineTo(x + offset + height, y);
  }
  context.stroke();
  context.restore();
}

// Cover the cells that a question asks about, so that no colour reveals their weight.
export function coverCells(
  context,
  rows,
  columns,
  { x, y, cell, high = cell, gap },
  isCovered,
  palette,
) {
  if (!isCovered) return;
  const size = Math.min(cell, high);
  context.save();
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      if (!isCovered(row, column)) continue;
      const [left, top] = [x + column * cell, y + row * high];
      context.fillStyle = palette.panel;
      context.fillRect(left, top, cell - gap, high - gap);
      context.globalAlpha = 0.22;
      context.fillStyle = palette.accent;
      context.fillRect(left, top, cell - gap, high - gap);
      context.globalAlpha = 0.75;
      context.beginPath();
      context.arc(
        left + (cell - gap) / 2,
        top + (high - gap) / 2,
        Math.max(0.8, size / 11),
        0,
        2 * Math.PI,
      );
      context.fill();
      context.globalAlpha = 1;
    }
  context.restore();
}

// Shorten a text to a width in pixels.
export function fittedText(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const letters = [...text]; // whole characters, because half an emoji cannot be drawn
  const start = (count) => `${letters.slice(0, count).join("")}…`;
  return start(
    mostThatFit(letters.length, (count) => context.measureText(start(count)).width <= width),
  );
}

// Shorten a text to a number of characters.
export function shortened(text, length) {
  return text.length <= length ? text : `${text.slice(0, Math.max(1, length - 1))}…`;
}

// Return the largest count up to a limit that fits, but at least 1. If a count fits, every smaller one must fit, too.
export function mostThatFit(limit, fits) {
  let [least, most] = [1, limit];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  return least;
}
