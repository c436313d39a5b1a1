// Drawing on a canvas: the page's colours, sharp lines, cells of weights, and the text that follows the pointer.

import { element } from "./elements.js";
import { filled } from "./filled.js";
import { written } from "./saving/recorder.js";
import { say } from "./say.js";

// A sharp 2-D context of a given size in CSS pixels.
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

const COLOURS = "ink soft panel line grid hatch accent query key value wrong gold".split(" ");
let palette = null; // as last read, and what it was read under
let isDoubted = false; // whether the page may have other colours by now
let isLooking = false;
let known = null; // the palette that every picture has
let hasStyle = false;
const followers = new Set(); // what to do when the colours are others

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

/** Be told when the page has other colours than those last drawn with.
 * @param {() => void} follow
 */
export function followColours(follow) {
  followers.add(follow);
}

/** Read the colours again when they are next asked for. */
export function doubtColours() {
  isDoubted = true;
}

/** Turn a page that is all our own light or dark.
 * @param {string} scheme
 */
export function setScheme(scheme) {
  /** @type {HTMLElement} */ (ground()).style.colorScheme = scheme;
  doubtColours();
}

// See whether the page turned dark or its letters large, after its next frame: to ask for style while much of the page
// has just changed makes the browser work all of it out once more.
export function lookAtColours() {
  if (isLooking || !palette) return;
  isLooking = true;
  const look = () => {
    isLooking = false;
    doubtColours();
    const before = known;
    known = colours();
    if (before && known !== before) for (const follow of followers) follow();
  };
  requestAnimationFrame(() => setTimeout(look));
}

// The colours of the page, light or dark, as "rgb(...)"; scales as 201 [r, g, b].
export function colours() {
  if (palette && !isDoubted) return palette;
  isDoubted = false;
  const style = groundStyle();
  const under = `${style.colorScheme} ${style.getPropertyValue("--cell-font")}`;
  if (palette?.under === under) return palette;
  const probe = element("i", { style: "forced-color-adjust: none" }); // weights stay told apart
  ground().append(probe);
  const read = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const scale = (name) => colourSteps([0, 1, 2, 3, 4, 5, 6].map((i) => read(`${name}-${i}`)));
  palette = {
    under,
    ...Object.fromEntries(COLOURS.map((name) => [name, read(name)])),
    scale: scale("scale"),
    diverging: scale("diverging"),
    font: style.getPropertyValue("--mono"),
    size: Number.parseFloat(style.getPropertyValue("--cell-font")) || 12.5,
    least: Number.parseFloat(style.getPropertyValue("--least-font")) || 8,
  };
  probe.remove();
  return palette;
}

// Size of the text beside cells, in pixels.
export function cellFont() {
  return colours().size;
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

// What is asked lies under a cover: no colour tells of its weight.
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
    ...filled(say("picture.one_reads"), {
      query: element("b", { class: "loupe-query" }, query),
      key: element("b", { class: "loupe-key" }, key),
    }),
  );
}
