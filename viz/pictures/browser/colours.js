// The page's colours, light or dark: read once, looked at again after a change, and what can be read on them.

import { element } from "./elements.js";

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
