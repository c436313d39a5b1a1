// A 2-D context that draws as usual and, during a recording, also writes its drawing as SVG.

import { escaped, numbered, paint } from "./markup.js";

/** The drawing of a canvas as SVG, without the root element.
 * @typedef {{ width: number, height: number, marks: string[] }} Sheet
 */

/** @type {Map<HTMLCanvasElement, Sheet> | null} */
let sheets = null; // null if nothing is being recorded
let clips = 0; // so that each clip of a document has its own name

/** Draw again, and return what was drawn on each canvas.
 * @param {() => void} draw
 * @returns {Map<HTMLCanvasElement, Sheet>}
 */
export function recording(draw) {
  sheets = new Map();
  try {
    draw();
    return sheets;
  } finally {
    sheets = null;
  }
}

/** Return the context of a canvas before it is drawn again, wrapped if a recording is in progress.
 * @param {CanvasRenderingContext2D} context the context, in which one pixel of the page is 1 unit
 * @param {number} width the width in pixels of the page
 * @param {number} height
 * @returns {CanvasRenderingContext2D}
 */
export function written(context, width, height) {
  if (!sheets) return context;
  const sheet = { width, height, marks: [] };
  sheets.set(context.canvas, sheet);
  const calls = writers(context, sheet.marks);
  return new Proxy(context, {
    get(real, name) {
      const value = real[name];
      if (typeof value !== "function") return value;
      return (...given) => {
        calls[name]?.(...given);
        return value.apply(real, given);
      };
    },
    set(real, name, value) {
      real[name] = value;
      return true;
    },
  });
}

// Return, for each drawing call, a function that writes the same as SVG.
function writers(context, marks) {
  const pen = createPen(context);
  let path = "";
  let open = 0; // open groups that clip
  const saved = [];
  const put = (tag, attributes, inner = "") =>
    marks.push(`<${tag} ${attributes}${pen.place()}${inner ? `>${inner}</${tag}>` : "/>"}`);
  const rect = (x, y, width, height) =>
    `x="${numbered(x)}" y="${numbered(y)}" width="${numbered(width)}" height="${numbered(height)}"`;
  return {
    fillRect: (...place) => put("rect", `${rect(...place)}${pen.fill()}`),
    strokeRect: (...place) => put("rect", `${rect(...place)}${pen.line()}`),
    fillText: (text, x, y) => put("text", pen.letters(x, y), escaped(text)),
    beginPath() {
      path = "";
    },
    closePath() {
      path += "z";
    },
    moveTo(x, y) {
      path += `M${numbered(x)} ${numbered(y)}`;
    },
    lineTo(x, y) {
      path += `${path ? "L" : "M"}${numbered(x)} ${numbered(y)}`;
    },
    bezierCurveTo(...points) {
      path += `C${points.map(numbered).join(" ")}`;
    },
    rect(x, y, width, height) {
      path += `M${numbered(x)} ${numbered(y)}h${numbered(width)}v${numbered(height)}h${numbered(-width)}z`;
    },
    arc(x, y, radius, from, to) {
      path += arcPath(x, y, radius, from, to);
    },
    fill: () => path && put("path", `d="${path}"${pen.fill()}`),
    stroke: () => path && put("path", `d="${path}"${pen.line()}`),
    clip() {
      const name = `clip-${clips++}`;
      marks.push(
        `<clipPath id="${name}"><path d="${path}"/></clipPath><g clip-path="url(#${name})">`,
      );
      open++;
    },
    save: () => saved.push(open),
    restore() {
      const before = saved.pop() ?? 0;
      for (; open > before; open--) marks.push("</g>");
    },
    drawImage: (image, ...place) =>
      put(
        "image",
        `${rect(...place)} preserveAspectRatio="none" style="image-rendering:pixelated" href="${image.toDataURL()}"`,
      ),
  };
}

// Return the parts of a context's state that an SVG element needs.
function createPen(context) {
  const base = context.getTransform().inverse();
  const opacity = (name, found) => {
    const all = found * context.globalAlpha;
    return all < 1 ? ` ${name}-opacity="${numbered(all)}"` : "";
  };
  const painted = (name, style) => {
    const { colour, alpha } = paint(style);
    return ` ${name}="${colour}"${opacity(name, alpha)}`;
  };
  return {
    fill: () => painted("fill", context.fillStyle),
    line() {
      const dash = context.getLineDash();
      const dashed = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
      return ` fill="none"${painted("stroke", context.strokeStyle)} stroke-width="${numbered(context.lineWidth)}"${dashed}`;
    },
    // Write the position of the letters' baseline, because some SVG readers support no other alignment.
    letters(x, y) {
      const [, weight = "", size, family] =
        context.font.match(/^(?:(bold|\d{3}) )?([\d.]+)px (.*)$/) ?? [];
      const anchor = ANCHORS[context.textAlign] ?? "start";
      const bold = weight ? ` font-weight="${weight}"` : "";
      return `x="${numbered(x)}" y="${numbered(y + baseline(context))}" font-size="${size}" font-family="${escaped(family)}"${bold} text-anchor="${anchor}"${painted("fill", context.fillStyle)}`;
    },
    place() {
      const { a, b, c, d, e, f } = base.multiply(context.getTransform());
      if (a === 1 && !b && !c && d === 1 && !e && !f) return "";
      return ` transform="matrix(${[a, b, c, d, e, f].map((part) => +part.toFixed(4)).join(" ")})"`;
    },
  };
}

const ANCHORS = { left: "start", start: "start", center: "middle", right: "end", end: "end" };

// Return how far the letters' baseline is below the line at which the context places text.
function baseline(context) {
  const along = context.textBaseline;
  if (along === "alphabetic") return 0;
  const above = context.measureText("x").fontBoundingBoxAscent;
  context.textBaseline = "alphabetic";
  const below = context.measureText("x").fontBoundingBoxAscent - above;
  context.textBaseline = along;
  return below;
}

function arcPath(x, y, radius, from, to) {
  const at = (angle) =>
    `${numbered(x + radius * Math.cos(angle))} ${numbered(y + radius * Math.sin(angle))}`;
  const r = numbered(radius);
  if (to - from >= 2 * Math.PI - 1e-6)
    return `M${at(0)}A${r} ${r} 0 1 1 ${at(Math.PI)}A${r} ${r} 0 1 1 ${at(0)}z`;
  return `M${at(from)}A${r} ${r} 0 ${to - from > Math.PI ? 1 : 0} 1 ${at(to)}`;
}
