// The words about a block of the map: for screen readers, and under the pointer.

import { element, pushButton } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";

/** Return everything that a screen reader says about a block; without its name if that is written in the block.
 * @param {import("./map_run").Block} block
 * @param {boolean} isWritten
 * @param {import("./map").Context} ctx
 */
export function mapSpoken({ label, layer, note, shape, sentence }, isWritten, ctx) {
  const name = isWritten ? "" : label;
  const place = layer === undefined ? "" : say("map.layer", { layer });
  const facts = [name, place, note, shape.replaceAll("×", say("map.by"))]
    .filter(Boolean)
    .join(", ");
  return `${facts}. ${ctx.map.sentences[sentence]}`;
}

/**
 * @param {import("./map_run").Block} block
 * @param {import("./map").Context} ctx
 */
export function mapHover(block, ctx) {
  const picture = block.pictured && ctx.picture(block.tensor);
  const tokens =
    block.role === "tokens" ? [element("div", {}, ctx.tokens[block.stack].join(" "))] : [];
  return [
    element(
      "b",
      {},
      block.note ? say("map.label_note", { label: block.label, note: block.note }) : block.label,
    ),
    element("div", {}, element("code", {}, block.tensor)),
    picture ? drawnSaid(block.shape, picture) : block.shape,
    element("div", { class: "loupe-map-sentence" }, ctx.map.sentences[block.sentence]),
    ...tokens,
  ];
}

/** Describe the shape of a tensor, and which part of it is drawn.
 * @param {string} shape
 * @param {import("./map_run").Picture} picture
 */
function drawnSaid(shape, { rows, columns, largest }) {
  const part = `${rows} × ${columns}`;
  return part === shape
    ? say("map.drawn", { shape, largest })
    : say("map.drawn_part", { shape, part, largest });
}

/** Return the text about a block without a pointer over it: its name, what it does, and where it leads.
 * @param {import("./map_run").Block | undefined} block
 * @param {import("./map").Context} ctx
 * @param {() => void} open
 */
export function mapSaid(block, ctx, open) {
  if (!block) return [];
  const lead = block.kind ? say("map.open_heads") : say("map.open_numbers");
  return [
    element(
      "b",
      {},
      block.layer === undefined
        ? block.label
        : say("map.label_layer", { label: block.label, layer: block.layer }),
    ),
    element("p", {}, ctx.map.sentences[block.sentence]),
    pushButton({ class: "loupe-map-open", onclick: open }, lead),
  ];
}
