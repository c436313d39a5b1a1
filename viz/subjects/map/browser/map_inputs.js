// The lowest part of the map, from its bottom (0) upwards (negative): tokens, their embedding, and positions.

import { mapBlock } from "./map_blocks.js";
import { mapWire } from "./map_draw.js";
import { mapEnds, mapPart, mapShape, mapStack } from "./map_parts.js";
import { mapFlank } from "./map_pictures.js";

/** Draw the tokens, their embedding, and the positions that are added to it.
 * @param {import("./wire").StackName} stack
 * @param {import("./map").Context} ctx
 */
export function mapInputs(stack, ctx) {
  const { sizes, map } = ctx;
  const column = sizes[stack];
  const part = mapPart();
  const find = mapEnds(map, stack);
  const half =
    Math.min(column.centre - column.x, column.right - column.centre) + (sizes.large ? 16 : 3);
  mapStack(part, find("tokens"), sizes.ends.tokens, 0, ctx, {
    x: column.centre - half,
    width: 2 * half,
  });
  part.embedding = mapStack(part, find("embedding"), sizes.block.embedding, sizes.step, ctx);
  if (find("sum")) mapAddition(part, find("positions"), find("segments"), find("sum"), ctx);
  const norm = find("embedding_norm");
  if (norm) mapStack(part, norm, sizes.block.embedding_norm, sizes.step, ctx);
  const bottom = part.top;
  part.top -= sizes.stub;
  part.wires.push(
    mapWire([
      [column.centre, bottom],
      [column.centre, part.top],
    ]),
  );
  part.wires.push(
    mapShape(ctx.widths[stack], column.centre + 6, bottom - sizes.stub / 2, ctx, column.right),
  );
  if (sizes.large && find("sum") && !norm)
    part.beside.push(...mapFlank(find("sum"), bottom - sizes.stub + 2, sizes.stub - 4, ctx));
  return part;
}

// Draw what is added beside the sum, with an arrow: positions on the outer side, segments on the other side.
function mapAddition(part, positions, segments, sum, ctx) {
  const { sizes } = ctx;
  const column = sizes[sum.stack];
  const height = sizes.block.positions;
  const bottom = part.top - sizes.step;
  const middle = bottom - height / 2;
  const [edge, reach] = [sizes.sum + sizes.arrow * 2.5, sizes.sum];
  const over = sizes.large ? 8 : 0; // the name of the kind is long
  const bringIn = (block, out) => {
    const outer = out < 0 ? column.x - over : column.right + over;
    const inner = column.centre + out * edge;
    part.wires.push(
      mapWire(
        [
          [inner, middle],
          [column.centre + out * reach, middle],
        ],
        { arrow: sizes.arrow },
      ),
    );
    const box = {
      x: Math.min(outer, inner),
      y: bottom - height,
      width: Math.abs(outer - inner),
      height,
    };
    part.blocks.push(mapBlock(block, box, ctx));
    if (out === column.out) part.beside.push(...mapFlank(block, box.y, height, ctx));
  };
  part.wires.push(
    mapWire(
      [
        [column.centre, part.top],
        [column.centre, middle + reach],
      ],
      { arrow: sizes.arrow },
    ),
    mapWire([
      [column.centre, middle - reach],
      [column.centre, bottom - height],
    ]),
  );
  if (positions) bringIn(positions, column.out);
  if (segments) bringIn(segments, -column.out);
  const circle = {
    x: column.centre - reach,
    y: middle - reach,
    width: 2 * reach,
    height: 2 * reach,
  };
  part.blocks.push(mapBlock(sum, circle, ctx));
  part.top = bottom - height;
}
