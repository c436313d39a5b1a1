// A drawing of the page (SVG) that needs no style sheet, because all computed styles are written into it.

import { escaped, numbered, paint } from "./markup.js";

const PAINTS = ["fill", "stroke"];
/** Properties and their defaults; null if there is none. */
const PROPERTIES = {
  "fill-opacity": "1",
  "stroke-opacity": "1",
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  opacity: "1",
  "font-family": null,
  "font-size": null,
  "font-weight": "400",
  "font-style": "normal",
  "letter-spacing": "normal",
  "text-anchor": "start",
  "dominant-baseline": "auto",
  "image-rendering": "auto",
  "paint-order": "normal",
  "clip-path": "none",
  "marker-end": "none",
};
const OF_LETTERS = new Set([
  "font-family",
  "font-size",
  "font-weight",
  "font-style",
  "letter-spacing",
  "text-anchor",
  "dominant-baseline",
]);
const DROPPED = /^(?:class|style|tabindex|role|data-.*|aria-.*|on.*|focusable|width|height|x|y)$/;
const DROPPED_WITHIN = /^(?:class|style|tabindex|role|data-.*|aria-.*|on.*|focusable)$/;
const UNSEEN = new Set(["script", "style", "title", "desc", "foreignObject"]);

/** Write a drawing at its place in the picture.
 * @param {SVGSVGElement} node
 * @param {{ left: number, top: number }} scene the corner of the picture on the page
 * @returns {string}
 */
export function drawingOf(node, scene) {
  const box = node.getBoundingClientRect();
  if (!box.width || !box.height) return "";
  const style = getComputedStyle(node);
  const view = node.hasAttribute("viewBox")
    ? ""
    : ` viewBox="0 0 ${numbered(box.width)} ${numbered(box.height)}"`;
  const overflow = style.overflowX === "visible" ? ' overflow="visible"' : "";
  return (
    `<svg x="${numbered(box.left - scene.left)}" y="${numbered(box.top - scene.top)}" ` +
    `width="${numbered(box.width)}" height="${numbered(box.height)}"${view}${overflow}` +
    `${attributesOf(node, DROPPED)}${stylesOf(node, style)}>${childrenOf(node)}</svg>`
  );
}

function childrenOf(node) {
  const parts = [];
  for (const child of node.childNodes) {
    if (child instanceof Text && child.data.trim()) parts.push(escaped(child.data));
    else if (child instanceof SVGElement) parts.push(written(child));
  }
  return parts.join("");
}

function written(node) {
  const name = node.localName;
  if (UNSEEN.has(name)) return "";
  const style = getComputedStyle(node);
  const isDefinition = Boolean(node.closest("defs, clipPath, marker, pattern, linearGradient"));
  if (!isDefinition && (style.display === "none" || isInvisible(node, style))) return "";
  const inner = childrenOf(node);
  if (name === "g" && !inner) return "";
  const start = `<${name}${attributesOf(node, DROPPED_WITHIN)}${stylesOf(node, style)}`;
  return inner ? `${start}>${inner}</${name}>` : `${start}/>`;
}

const isInvisible = (node, { visibility }) => visibility !== "visible" && !node.childElementCount;

function attributesOf(node, dropped) {
  return [...node.attributes]
    .filter(({ name }) => !dropped.test(name) && !(name in PROPERTIES) && !PAINTS.includes(name))
    .filter(({ name, value }) => !isOutside(name, value))
    .filter(({ name }) => !name.startsWith("xmlns"))
    .map(({ name, value }) => ` ${name}="${escaped(value)}"`)
    .join("");
}

// Return whether an attribute refers to an external file, because a saved picture must be self-contained.
const isOutside = (name, value) => /href$/.test(name) && !/^(?:data:|#)/.test(value);

function stylesOf(node, style) {
  const hasWords = /^(?:text|tspan)$/.test(node.localName);
  const said = [];
  for (const name of PAINTS) {
    const value = style.getPropertyValue(name);
    const { colour, alpha } = value.startsWith("url") ? { colour: value, alpha: 1 } : paint(value);
    said.push(` ${name}="${escaped(colour)}"`);
    if (alpha > 0 && alpha < 1)
      said.push(
        ` ${name}-opacity="${numbered(alpha * Number(style.getPropertyValue(`${name}-opacity`)))}"`,
      );
  }
  const has = (name) => said.some((part) => part.startsWith(` ${name}=`));
  for (const [name, none] of Object.entries(PROPERTIES)) {
    if (OF_LETTERS.has(name) && !hasWords) continue;
    const value = style.getPropertyValue(name);
    if (value && value !== none && !has(name)) said.push(` ${name}="${escaped(value)}"`);
  }
  if (
    !node.hasAttribute("transform") &&
    style.transform !== "none" &&
    !(node instanceof SVGSVGElement)
  )
    said.push(` transform="${style.transform}"`);
  return said.join("");
}
