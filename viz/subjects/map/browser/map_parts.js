// What each part of the map is put together from: blocks above each other, wires, pictures beside them.

import { element } from "../../../pictures/browser/elements.js";
import { mapBlock } from "./map_blocks.js";
import { mapText, mapWire } from "./map_draw.js";
import { mapFlank } from "./map_pictures.js";

// A part with nothing in it yet; `top` is where its last block ends.
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

/** Put a block above what is there; `gap` is the wire that leads to it.
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

// A shape on a wire, where there is room beside it.
export function mapShape(text, x, y, { sizes, fonts }, right) {
  return mapText(text, x, y, right - x, { role: "detail", sizes, fonts });
}

// What finds a block at the ends of a stack, in none of its layers, by its role.
export function mapEnds({ blocks }, stack) {
  const ends = blocks.filter((block) => block.stack === stack && block.layer === undefined);
  return (role) => ends.find((block) => block.role === role);
}
