// The page's colours, light or dark: cached, and checked again after a change. Also readable colours of text.

import { element } from "./elements.js";

const COLOURS = "ink soft panel line grid hatch accent query key value wrong gold".split(" ");
let palette = null; // the colours as last read, and the styles under which they were read
let isDoubted = false; // whether the page may have changed its colours
let isLooking = false;
let known = null; // the palette with which all pictures are drawn
let hasStyle = false;
const followers = new Set(); // functions to call when the colours have changed

// Return the element that carries the page's colours.
export function ground() {
  return document.querySelector(".stApp") ?? document.body;
}

function groundStyle() {
  return getComputedStyle(ground());
}

// Return whether the style sheet is loaded. Once loaded, it stays.
export function isStyled() {
  hasStyle ||= groundStyle().getPropertyValue("--ink") !== "";
  return hasStyle;
}

/** Call a function whenever the page's colours differ from those last drawn with.
 * @param {() => void} follow
 */
export function followColours(follow) {
  followers.add(follow);
}

/** Read the colours again the next time they are needed. */
export function doubtColours() {
  isDoubted = true;
}

/** Switch a page that is entirely Loupe's own to light or dark.
 * @param {string} scheme
 */
export function setScheme(scheme) {
  /** @type {HTMLElement} */ (ground()).style.colorScheme = scheme;
  doubtColours();
}

// Check after the next frame whether the page turned dark or its text grew. Asking for styles just after much of the
// page has changed would make the browser compute all styles once more.
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

// Return the colours of the page, light or dark, as "rgb(...)", and the scales as 201 colours [r, g, b].
export function colours() {
  if (palette && !isDoubted) return palette;
  isDoubted = false;
  const style = groundStyle();
  const under = `${style.colorScheme} ${style.getPropertyValue("--cell-font")}`;
  if (palette?.under === under) return palette;
  const probe = element("i", { style: "forced-color-adjust: none" }); // so that weights keep their colours
  ground().append(probe);
  const read = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const scale = (name) => colourSteps([0, 1, 2, 3, 4, 5, 6].map((i) => read(`${name}-${i}`)));
  palette = {
    under,
    isDark: style.colorScheme === "dark",
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

// Return the size of the text beside cells, in pixels.
export function cellFont() {
  return colours().size;
}

// Return 201 evenly spaced colours [r, g, b] between given ones.
function colourSteps(stops) {
  const rgb = stops.map(channels);
  return Array.from({ length: 201 }, (_, i) => {
    const place = (i / 200) * (rgb.length - 1);
    const low = Math.min(Math.floor(place), rgb.length - 2);
    return rgb[low].map((c, n) => Math.round(c + (rgb[low + 1][n] - c) * (place - low)));
  });
}

// Read "rgb(1, 2, 3)" as [1, 2, 3].
const channels = (colour) =>
  colour
    .match(/[\d.]+/g)
    .slice(0, 3)
    .map(Number);

/** @param {number[]} colour */
export const cssColour = ([r, g, b]) => `rgb(${r},${g},${b})`;

const READABLE = 4.5; // the contrast that text needs on its background

/** Return the colour of text on a cell: one of the page's own if it is readable there, else black or white.
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
