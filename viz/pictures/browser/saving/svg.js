// The visible content of a part of the page as one SVG. Boxes, words and canvases are drawn again, not scaled.

import { colours } from "../colours.js";
import { element } from "../elements.js";
import { drawingOf } from "./drawing.js";
import { escaped, numbered, paint } from "./markup.js";
import { recording } from "./recorder.js";
import { wordsOf } from "./text.js";

/** Controls, which do not belong to the picture. */
const TOOLS =
  "input, select, textarea, label:has(input, select, textarea), dialog, .loupe-tools, .loupe-choice, .loupe-table-button, " +
  ".stSelectbox, .stNumberInput, .stSlider, [data-testid=stIconMaterial], " +
  ".loupe-as-table, .loupe-save, .loupe-tip, .loupe-unseen, .katex-mathml, .modebar-container, [data-unsaved]";
const MARGIN = 12; // pixels of background around the picture

/** Draw a part of the page as SVG. Its pictures are drawn again while their canvases are recorded.
 * @param {import("../types").Loupe} loupe
 * @param {Element} node
 * @param {{ title?: string, metadata?: string, margin?: number }} [about] the text in the file about it, and pixels of
 *   background around it
 * @returns {string}
 */
export function toSVG(loupe, node, { title = "", metadata = "", margin = MARGIN } = {}) {
  const sheets = recording(() => loupe.redraw(node));
  const box = node.getBoundingClientRect();
  const scene = {
    sheets,
    left: box.left - margin,
    top: box.top,
    from: Infinity,
    to: 0,
    clips: 0,
    out: [],
  };
  drawElement(node, scene);
  const width = Math.ceil(box.width + 2 * margin);
  // Controls above and below are left out, and so is their space.
  const first = Math.floor(Math.max(0, Math.min(scene.from, scene.to)) - margin);
  const height = Math.ceil(Math.min(scene.to, box.height) + margin) - first;
  const ground = paint(colours().panel).colour;
  const said = (tag, text) => (text ? `<${tag}>${escaped(text)}</${tag}>` : "");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" ` +
    `height="${height}" viewBox="0 ${first} ${width} ${height}">${said("title", title)}` +
    `${said("metadata", metadata)}<rect y="${first}" width="${width}" height="${height}" fill="${ground}"/>` +
    `${scene.out.join("")}</svg>`
  );
}

// Add marks to the picture, and extend its height to their place on the page.
function draw(scene, { top, bottom }, ...marks) {
  scene.from = Math.min(scene.from, top - scene.top);
  scene.to = Math.max(scene.to, bottom - scene.top);
  scene.out.push(...marks);
}

/** Replace canvases by vector drawings, because a printer would get canvases at the screen's resolution.
 * @param {import("../types").Loupe} loupe
 * @param {Element} node the part that is printed
 * @returns {() => void} restores the canvases
 */
export function vectorCanvases(loupe, node) {
  const sheets = recording(() => loupe.redraw(node));
  const swapped = [...sheets].map(([canvas, { width, height, marks }]) => {
    const drawn = element("svg:svg", {
      width,
      height,
      class: canvas.getAttribute("class"),
      style: canvas.style.cssText,
      "aria-hidden": "true",
    });
    drawn.innerHTML = marks.join(""); // from the recorder, which escapes every text
    canvas.after(drawn);
    canvas.style.display = "none";
    return { canvas, drawn };
  });
  return () => {
    for (const { canvas, drawn } of swapped) {
      drawn.remove();
      canvas.style.display = "";
    }
  };
}

function drawElement(node, scene) {
  if (node.matches(TOOLS) || node.closest("[hidden]")) return;
  const style = getComputedStyle(node);
  if (style.display === "none" || style.opacity === "0" || style.clipPath.startsWith("inset(50%"))
    return;
  if (style.display === "contents") return drawChildren(node, scene);
  const box = node.getBoundingClientRect();
  const groups = openGroups(node, box, style, scene);
  if (style.visibility !== "hidden") {
    drawBox(box, style, scene);
    if (node instanceof HTMLCanvasElement) drawCanvas(node, box, style, scene);
    else if (node instanceof HTMLImageElement) drawImage(node.currentSrc, box, scene);
  }
  if (node instanceof SVGSVGElement) draw(scene, box, drawingOf(node, scene));
  else if (!(node instanceof HTMLIFrameElement)) drawChildren(node, scene);
  scene.out.push("</g>".repeat(groups));
}

function drawChildren(node, scene) {
  const isSeen = getComputedStyle(node).visibility !== "hidden";
  for (const child of node.childNodes) {
    if (child instanceof Element) drawElement(child, scene);
    else if (child instanceof Text && isSeen) drawWords(child, scene);
  }
}

function drawWords(node, scene) {
  const words = wordsOf(node, scene);
  if (words.length) draw(scene, node.parentElement.getBoundingClientRect(), ...words);
}

// Open the groups for a part's opacity and, if it hides content beyond its edges, for that clip; return how many.
function openGroups(node, box, style, scene) {
  let groups = 0;
  const open = (attribute) => {
    scene.out.push(`<g ${attribute}>`);
    groups++;
  };
  if (Number(style.opacity) < 1) open(`opacity="${numbered(Number(style.opacity))}"`);
  const hides = style.overflowX !== "visible" || style.overflowY !== "visible";
  const isFull = node.scrollWidth <= node.clientWidth && node.scrollHeight <= node.clientHeight;
  if (hides && !isFull && !(node instanceof SVGElement)) {
    const name = `part-${scene.clips++}`;
    scene.out.push(`<clipPath id="${name}"><rect ${placed(box, scene)}/></clipPath>`);
    open(`clip-path="url(#${name})"`);
  }
  return groups;
}

const SIDES = ["Top", "Right", "Bottom", "Left"];

function drawBox(box, style, scene) {
  if (!box.width || !box.height) return;
  const radius = Math.min(Number.parseFloat(style.borderTopLeftRadius) || 0, box.height / 2);
  const round = radius ? ` rx="${numbered(radius)}"` : "";
  const ground = paint(style.backgroundColor);
  if (ground.alpha)
    draw(scene, box, `<rect ${placed(box, scene)}${round}${painted("fill", ground)}/>`);
  const edges = SIDES.map((side) => ({
    side,
    width:
      style[`border${side}Style`] === "none" ? 0 : Number.parseFloat(style[`border${side}Width`]),
    kind: style[`border${side}Style`],
    ...paint(style[`border${side}Color`]),
  }));
  const [first] = edges;
  const isFrame = edges.every(({ width, colour }) => width && colour === first.colour);
  if (isFrame && first.alpha) {
    const { width } = first;
    const inner = grown(box, -width / 2);
    draw(scene, box, `<rect ${placed(inner, scene)}${round} fill="none"${stroke(first)}/>`);
  } else for (const edge of edges) if (edge.width && edge.alpha) drawEdge(box, edge, scene);
}

function drawEdge(box, edge, scene) {
  const half = edge.width / 2;
  const [left, top] = [box.left - scene.left, box.top - scene.top];
  const [right, bottom] = [left + box.width, top + box.height];
  const [x1, y1, x2, y2] = {
    Top: [left, top + half, right, top + half],
    Right: [right - half, top, right - half, bottom],
    Bottom: [left, bottom - half, right, bottom - half],
    Left: [left + half, top, left + half, bottom],
  }[edge.side].map(numbered);
  draw(scene, box, `<path d="M${x1} ${y1}L${x2} ${y2}"${stroke(edge)}/>`);
}

function drawCanvas(canvas, box, style, scene) {
  const sheet = scene.sheets.get(canvas);
  if (!sheet) {
    if (canvas.width && canvas.height)
      drawImage(pixelsOf(canvas), box, scene, style.imageRendering);
    return;
  }
  const inner = {
    x: numbered(box.left - scene.left + Number.parseFloat(style.borderLeftWidth)),
    y: numbered(box.top - scene.top + Number.parseFloat(style.borderTopWidth)),
  };
  // As in the canvas itself, nothing beyond its edges is visible.
  draw(
    scene,
    box,
    `<svg x="${inner.x}" y="${inner.y}" width="${numbered(sheet.width)}" height="${numbered(sheet.height)}">` +
      `${sheet.marks.join("")}</svg>`,
  );
}

// A scene that Plotly draws with WebGL exists only while it is drawn.
function pixelsOf(canvas) {
  const plot = /** @type {any} */ (canvas.closest(".js-plotly-plot"));
  return plot?._fullLayout.scene?._scene?.toImage("png") ?? canvas.toDataURL();
}

function drawImage(source, box, scene, rendering = "auto") {
  if (!source.startsWith("data:")) return;
  const sharp = rendering === "pixelated" ? ' style="image-rendering:pixelated"' : "";
  draw(
    scene,
    box,
    `<image ${placed(box, scene)} preserveAspectRatio="none"${sharp} href="${escaped(source)}"/>`,
  );
}

const painted = (name, { colour, alpha }) =>
  ` ${name}="${colour}"${alpha < 1 ? ` ${name}-opacity="${numbered(alpha)}"` : ""}`;

function stroke({ kind, width, colour, alpha }) {
  const dashes = { dashed: [3 * width, 2 * width], dotted: [width, 1.5 * width] }[kind];
  const dashed = dashes ? ` stroke-dasharray="${dashes.join(" ")}"` : "";
  return `${painted("stroke", { colour, alpha })} stroke-width="${numbered(width)}"${dashed}`;
}

const placed = ({ left, top, width, height }, scene) =>
  `x="${numbered(left - scene.left)}" y="${numbered(top - scene.top)}" width="${numbered(width)}" height="${numbered(height)}"`;

const grown = ({ left, top, width, height }, by) => ({
  left: left - by,
  top: top - by,
  width: Math.max(0, width + 2 * by),
  height: Math.max(0, height + 2 * by),
});
