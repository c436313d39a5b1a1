// Words of the page as SVG: one element for each line of text, at its place and in its font.

import { element } from "../elements.js";
import { escaped, numbered, paint } from "./markup.js";

const pen = { context: null };

/** Return the lines of a text on the page, as SVG.
 * @param {Text} node
 * @param {{ left: number, top: number }} scene the corner of the picture on the page
 * @returns {string[]}
 */
export function wordsOf(node, scene) {
  if (!node.data.trim()) return [];
  const style = getComputedStyle(node.parentElement);
  const said = lettersOf(style);
  return linesOf(node, style).map(({ text, box }) => {
    const x = numbered(box.left - scene.left);
    const y = numbered(box.top - scene.top + box.height * ascentShare(style));
    return `<text x="${x}" y="${y}"${said}>${escaped(text)}</text>`;
  });
}

// Return the lines into which the browser broke a text, each with its place.
function linesOf(node, style) {
  const range = node.ownerDocument.createRange();
  const isKept = style.whiteSpaceCollapse === "preserve";
  const shaped = (text) => cased(isKept ? text : text.replace(/\s+/g, " "), style.textTransform);
  const lines = [];
  for (const { index, 0: word } of node.data.matchAll(/\S+\s*/gu)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.trimEnd().length);
    const box = range.getClientRects()[0];
    if (!box) continue;
    const last = lines.at(-1);
    if (last && Math.abs(last.box.top - box.top) < box.height / 2) last.text += shaped(word);
    else lines.push({ text: shaped(word), box });
  }
  return lines.map(({ text, box }) => ({ text: text.trimEnd(), box }));
}

function cased(text, how) {
  if (how === "uppercase") return text.toUpperCase();
  return how === "lowercase" ? text.toLowerCase() : text;
}

function lettersOf(style) {
  const { colour, alpha } = paint(style.color);
  const usual = (name, value, none) => (value === none ? "" : ` ${name}="${escaped(value)}"`);
  const lined =
    style.textDecorationLine.includes("underline") && style.textDecorationStyle === "solid";
  return (
    ` font-family="${escaped(style.fontFamily)}" font-size="${Number.parseFloat(style.fontSize)}" fill="${colour}"` +
    usual("fill-opacity", String(alpha), "1") +
    usual("font-weight", style.fontWeight, "400") +
    usual("font-style", style.fontStyle, "normal") +
    usual("letter-spacing", style.letterSpacing, "normal") +
    usual("text-decoration", lined ? "underline" : "none", "none") +
    usual("font-variant-numeric", style.fontVariantNumeric, "normal") +
    ' style="white-space:pre"'
  );
}

// Return how far the baseline is below the top of the letters' box, as a share of its height.
function ascentShare(style) {
  pen.context ??= element("canvas").getContext("2d");
  pen.context.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } =
    pen.context.measureText("x");
  return above / (above + below);
}
