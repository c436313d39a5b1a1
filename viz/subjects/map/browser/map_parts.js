// The pieces of each part of the map: blocks above each other, wires, and pictures beside them.

import { element } from "../../../pictures/browser/elements.js";
import { mapBlock } from "./map_blocks.js";
import { mapText, mapWire } from "./map_draw.js";
import { mapFlank } from "./map_pictures.js";

// Create an empty part; `top` is where its last block ends.
export function mapPart() {
  return { wires: [], blocks: [], beside: [], top: 0, tap: null, frame: null, node: null };
}

export function mapPartNode({ frame, wires, beside, blocks }, words) {
  return element(
    "svg:g",
    { class: "loupe-map-part", role: "group", "aria-label": words },
    frame,
    ...wires,
    ...blocks,
    ...beside,
  );
}

/** Add a block above the others; `gap` is the length of the wire that leads to it.
 * @param {Record<string, any>} part
 * @param {import("./map_run").Block} block
 * @param {number} height
 * @param {number} gap
 * @param {import("./map").Context} ctx
 * @param {{wire?: boolean, x?: number, width?: number, beside?: boolean}} [options] `beside`: with its pictures there
 */
export function mapStack(
  part,
  block,
  height,
  gap,
  ctx,
  { wire = true, x, width, beside = true } = {},
) {
  const column = ctx.sizes[block.stack];
  const bottom = part.top - gap;
  const box = {
    x: x ?? column.blockX,
    y: bottom - height,
    width: width ?? ctx.sizes.blockWidth,
    height,
  };
  if (wire && gap) {
    part.wires.push(
      mapWire(
        [
          [column.centre, part.top],
          [column.centre, bottom],
        ],
        { arrow: ctx.sizes.arrow },
      ),
    );
  }
  part.blocks.push(mapBlock(block, box, ctx));
  if (beside) part.beside.push(...mapFlank(block, box.y, height, ctx));
  part.top = box.y;
  return box;
}

// Write a shape beside a wire, if there is room.
export function mapShape(text, x, y, { sizes, fonts }, right) {
  return mapText(text, x, y, right - x, { role: "detail", sizes, fonts });
}

// Create a function that finds a block outside the layers of a stack by its role.
export function mapEnds({ blocks }, stack) {
  const ends = blocks.filter((block) => block.stack === stack && block.layer === undefined);
  return (role) => ends.find((block) => block.role === role);
}
