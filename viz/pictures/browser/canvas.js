// Drawing on a canvas: the page's colours, sharp lines, cells of weights, and the text that follows the pointer.

import { element } from "./elements.js";

// A sharp 2-D context of a given size in CSS pixels.
export function context2d(canvas, width, height) {
  const ratio = Math.max(1, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

const COLOURS = "ink soft panel line grid hatch accent query key value wrong gold".split(" ");
let lastPalette = null; // the palette last read, and what it was read under
let isLookedAt = false; // whether that was in this frame: to ask for style makes the browser work out the whole page's
let hasStyle = false;

// The element that carries the page's colours.
export function ground() {
  return document.querySelector(".stApp") ?? document.body;
}

function groundStyle() {
  return getComputedStyle(ground());
}

// Whether the style sheet is here. It does not go again.
export function isStyled() {
  hasStyle ||= groundStyle().getPropertyValue("--ink") !== "";
  return hasStyle;
}

// The colours of the page as it is now, light or dark, as "rgb(...)"; scales as 201 [r, g, b].
export function colours() {
  if (isLookedAt && lastPalette) return lastPalette;
  isLookedAt = true;
  requestAnimationFrame(() => {
    isLookedAt = false;
  });
  const style = groundStyle();
  const under = `${style.colorScheme} ${style.getPropertyValue("--cell-font")}`;
  if (lastPalette?.under === under) return lastPalette;
  const probe = element("i", { style: "forced-color-adjust: none" }); // weights stay told apart
  ground().append(probe);
  const read = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const scale = (name) => colourSteps([0, 1, 2, 3, 4, 5, 6].map((i) => read(`${name}-${i}`)));
  lastPalette = {
    under,
    ...Object.fromEntries(COLOURS.map((name) => [name, read(name)])),
    scale: scale("scale"),
    diverging: scale("diverging"),
    font: style.getPropertyValue("--mono"),
    size: cellFont(),
    least: Number.parseFloat(style.getPropertyValue("--least-font")) || 8,
  };
  probe.remove();
  return lastPalette;
}

// Size of the text beside cells, in pixels.
export function cellFont() {
  return Number.parseFloat(groundStyle().getPropertyValue("--cell-font")) || 12.5;
}

// 201 colours between given ones, as [r, g, b], evenly spaced.
function colourSteps(stops) {
  const rgb = stops.map(channels);
  return Array.from({ length: 201 }, (_, i) => {
    const place = (i / 200) * (rgb.length - 1);
    const low = Math.min(Math.floor(place), rgb.length - 2);
    return rgb[low].map((c, n) => Math.round(c + (rgb[low + 1][n] - c) * (place - low)));
  });
}

// "rgb(1, 2, 3)" as [1, 2, 3].
const channels = (colour) =>
  colour
    .match(/[\d.]+/g)
    .slice(0, 3)
    .map(Number);

/** @param {number[]} colour */
export const cssColour = ([r, g, b]) => `rgb(${r},${g},${b})`;

const READABLE = 4.5; // contrast of words with their ground

/** The colour of words on a cell: the page's own if they can be read, else black or white.
 * @param {number[]} ground as [r, g, b]
 * @param {{ink: string, panel: string}} palette
 */
export function wordsOn(ground, { ink, panel }) {
  const contrast = (colour) => {
    const [low, high] = [luminance(ground), luminance(channels(colour))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const pages = [ink, panel].find((colour) => contrast(colour) >= READABLE);
  const [black, white] = ["rgb(0,0,0)", "rgb(255,255,255)"];
  return pages ?? (contrast(black) > contrast(white) ? black : white);
}

function luminance(colour) {
  const [r, g, b] = colour.map((part) => {
    const c = part / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// Draw a matrix into a rectangle, one fill for each cell; `colourOf(row, column)` gives [r, g, b].
// Small cells are painted as an image, which is as sharp and much faster.
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
  const small = element("canvas", { width: columns, height: rows });
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, x, y, columns * cell, rows * high);
}

// Slanted lines over the cells that are masked.
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

// A text shortened to a width.
export function fittedText(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const letters = [...text]; // whole characters: half an emoji cannot be drawn
  const start = (count) => `${letters.slice(0, count).join("")}…`;
  return start(
    mostThatFit(letters.length, (count) => context.measureText(start(count)).width <= width),
  );
}

// A text shortened to so many letters.
export function shortened(text, length) {
  return text.length <= length ? text : `${text.slice(0, Math.max(1, length - 1))}…`;
}

// The largest count up to a limit that fits, and at least one; whatever fits, fewer do too.
export function mostThatFit(limit, fits) {
  let [least, most] = [1, limit];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  return least;
}

// A box of text beside the pointer, within the window.
export const tooltip = {
  box: null,
  about: null, // what was pointed at
  show(event, ...lines) {
    this.about = event.target ?? null;
    if (!this.box?.isConnected) {
      this.box = element("div", { class: "loupe-tip", role: "tooltip" });
      ground().append(this.box);
    }
    this.box.replaceChildren(
      ...lines.map((line) => (line instanceof Node ? line : element("div", {}, line))),
    );
    this.box.style.display = "block";
    const { width, height } = this.box.getBoundingClientRect();
    const left =
      event.clientX + 16 + width > innerWidth ? event.clientX - width - 12 : event.clientX + 16;
    const top = Math.max(4, Math.min(event.clientY + 14, innerHeight - height - 4));
    this.box.style.left = `${Math.max(4, left)}px`;
    this.box.style.top = `${top}px`;
  },
  hide() {
    if (this.box) this.box.style.display = "none";
  },
  // What was pointed at may have left the page without the pointer.
  hideIfGone() {
    if (this.about && !this.about.isConnected) this.hide();
  },
};

// "rue reads street", each word in the colour of its role.
export function readsLine(query, key) {
  return element(
    "div",
    {},
    element("b", { class: "loupe-query" }, query),
    " reads ",
    element("b", { class: "loupe-key" }, key),
  );
}
