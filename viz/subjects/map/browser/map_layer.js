// One layer of the map, from its bottom (0) upwards (negative): its sublayers, one above the other or side by side.

import { element } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";
import { mapBadge, mapBox, mapText, mapTextWidth, mapWire } from "./map_draw.js";
import { mapPart, mapStack } from "./map_parts.js";

/** Draw one layer in its frame: each sublayer with the norm before it, if any, and the end of its residual connection.
 * @param {import("./wire").StackName} stack
 * @param {number} layer
 * @param {import("./map").Context} ctx
 */
export function mapLayer(stack, layer, ctx) {
  const { sizes, map } = ctx;
  const column = sizes[stack];
  const part = mapPart();
  const blocks = map.blocks.filter((block) => block.stack === stack && block.layer === layer);
  if (map.parallel) mapSideBySide(part, blocks, ctx);
  for (let i = 0; !map.parallel && i < blocks.length; i += map.pre_norm ? 3 : 2) {
    const [norm, sublayer, end] = map.pre_norm
      ? blocks.slice(i, i + 3)
      : [null, ...blocks.slice(i, i + 2)];
    mapSublayer(part, norm, sublayer, end, ctx);
  }
  const top = part.top - sizes.space - sizes.head;
  part.wires.push(
    mapWire([
      [column.centre, part.top],
      [column.centre, top],
    ]),
  );
  part.frame = mapBox(column.x, top, sizes.frame, -top, sizes.radius * 2, "loupe-map-frame");
  if (map.layers[stack] > 1) {
    const [x, anchor] = column.out < 0 ? [column.x + 8, "start"] : [column.right - 8, "end"];
    const room = Math.abs(column.centre - x) - 3;
    const words = sizes.large ? say("map.layer", { layer }) : say("map.layer_small", { layer });
    part.wires.push(
      mapText(words, x, top + sizes.head * 0.62, room, {
        role: "words",
        anchor,
        sizes,
        fonts: ctx.fonts,
      }),
    );
  }
  part.top = top;
  return part;
}

function mapSublayer(part, norm, sublayer, end, ctx) {
  const { sizes } = ctx;
  const column = sizes[sublayer.stack];
  const { centre } = column;
  const start = part.top;
  const leaves = start - (start ? sizes.entry : sizes.space);
  part.wires.push(
    mapWire([
      [centre, start],
      [centre, leaves],
    ]),
  );
  part.top = leaves;
  if (norm) mapStack(part, norm, sizes.block.norm, sizes.step, ctx);
  if (sublayer.kind) mapFork(part, sublayer, ctx);
  mapStack(part, sublayer, sizes.block[sublayer.role], sublayer.kind ? 0 : sizes.step, ctx);
  if (sublayer.masks || sublayer.place) mapBadges(part, sublayer, ctx);
  const box = mapStack(part, end, sizes.block[end.role], sizes.step, ctx);
  const middle = box.y + box.height / 2;
  const around = [
    [centre, leaves],
    [column.lane, leaves],
    [column.lane, middle],
    [column.outer, middle],
  ];
  part.wires.push(mapWire(around, { arrow: sizes.arrow, corner: sizes.corner }));
}

/** Draw a layer whose sublayers read the same input, each after its own norm, and are added together.
 * @param {import("./map_run").Block[]} blocks norm, attention, then norm and feed-forward network if there is one, add
 * @param {import("./map").Context} ctx
 */
function mapSideBySide(part, blocks, ctx) {
  const { sizes } = ctx;
  const end = blocks[blocks.length - 1];
  const { centre, lane, outer } = sizes[end.stack];
  const leaves = -sizes.space;
  const pairs = blocks.length > 3 ? [blocks.slice(0, 2), blocks.slice(2, 4)] : [blocks.slice(0, 2)];
  const halves = pairs.map((pair, i) => mapHalf(part, pair, i, pairs.length, ctx));
  const top = part.top - sizes.step * 1.6;
  for (const { middle, from } of halves)
    part.wires.push(mapWire(upwards(middle, from, top), { arrow: sizes.arrow }));
  part.wires.push(mapWire(upwards(centre, 0, leaves)));
  part.top = top;
  const box = mapStack(part, end, sizes.block[end.role], 0, ctx);
  const height = box.y + box.height / 2;
  const around = [
    [centre, leaves],
    [lane, leaves],
    [lane, height],
    [outer, height],
  ];
  part.wires.push(mapWire(around, { arrow: sizes.arrow, corner: sizes.corner }));
}

const upwards = (x, from, to) => [
  [x, from],
  [x, to],
];

// Draw one of several sublayers side by side, above its norm.
function mapHalf(part, pair, place, count, ctx) {
  const { sizes } = ctx;
  const { arrow, corner, step, space, fork } = sizes;
  const [norm, sublayer] = pair;
  const column = sizes[sublayer.stack];
  const width = (sizes.blockWidth - step * (count - 1)) / count;
  const x = column.blockX + place * (width + step);
  const middle = Math.round(x + width / 2);
  const half = {
    ...ctx,
    sizes: {
      ...sizes,
      blockWidth: width,
      [sublayer.stack]: { ...column, centre: middle, blockX: x },
    },
  };
  const enters = [
    [column.centre, -space],
    [middle, -space],
    [middle, -space - step * 1.6],
  ];
  part.wires.push(mapWire(count > 1 ? enters : enters.slice(1), { arrow, corner }));
  part.top = -space - step * 1.6;
  const options = { x, width, wire: false };
  mapStack(part, norm, sizes.block.norm, 0, half, { ...options, beside: false });
  const above = part.top - fork * 1.35; // where the attention beside it begins
  if (sublayer.kind) mapFork(part, sublayer, half);
  else part.wires.push(mapWire(upwards(middle, part.top, above), { arrow }));
  part.top = above;
  // The room beside the frame is enough for the pictures of one sublayer: the attention gets it.
  const beside = Boolean(sublayer.kind);
  const isNarrow = beside && !sizes.large && count > 1; // the masks and the picture fill the line
  const shown = isNarrow ? { ...sublayer, note: "" } : sublayer;
  mapStack(part, shown, sizes.block.attention, 0, half, { ...options, beside });
  if (sublayer.masks || sublayer.place) mapBadges(part, shown, half);
  return { middle, from: part.top };
}

/** Draw the wire into an attention, which splits into value, key and query, in the order of the paper's figure.
 * Cross-attention takes values and keys from the memory; only its queries come from below.
 * @param {import("./map_run").Block} block
 */
function mapFork(part, block, ctx) {
  const { sizes } = ctx;
  const { centre, x: frame } = sizes[block.stack];
  const { fork, spread, arrow, corner } = sizes;
  const crosses = block.kind === "cross-attention";
  const split = part.top - (crosses ? fork * 0.75 : fork * 0.35);
  const tap = crosses ? split - fork * 0.75 : split;
  const bottom = tap - fork;
  const into = (to, role) => [[centre, split], [to, split], [to, bottom], role];
  const ways = crosses
    ? [
        [[centre - spread, tap], [centre - spread, bottom], "value"],
        [[centre - spread, tap], [centre, tap], [centre, bottom], "key"],
        [
          [centre, part.top],
          [centre, split],
          [centre + spread, split],
          [centre + spread, bottom],
          "query",
        ],
      ]
    : [
        into(centre - spread, "value"),
        [[centre, split], [centre, bottom], "key"],
        into(centre + spread, "query"),
      ];
  const [from, to] = crosses
    ? [
        [frame, tap],
        [centre - spread, tap],
      ]
    : [
        [centre, part.top],
        [centre, split],
      ];
  part.wires.push(mapWire([from, to], { role: crosses ? "memory" : "" }));
  if (crosses) part.tap = tap;
  for (const way of ways) {
    const role = way.pop();
    part.wires.push(mapWire(way, { role, arrow, corner: Math.min(corner, fork / 2) }));
    if (sizes.large) part.wires.push(mapLetter(way.at(-1), role, fork));
  }
  part.top = bottom;
}

// Draw the letter Q, K or V at the end of its wire.
function mapLetter([x, y], role, fork) {
  return element(
    "svg:text",
    {
      class: `loupe-map-letter ${role}`,
      x: x + 5,
      y: y + fork * 0.5,
      dy: "0.3em",
      "font-size": 12,
    },
    role[0].toUpperCase(),
  );
}

/** Draw the masks of the attention that was added last, in its box.
 * @param {import("./map_run").Block} block
 */
function mapBadges(part, block, ctx) {
  const { sizes, fonts } = ctx;
  const column = sizes[block.stack];
  const { gap, up } = sizes.badge;
  const made = [];
  const named = [...(block.masks ?? []), ...(block.place ? [block.place] : [])];
  const { side, room } = sizes.badge;
  let x = sizes.large
    ? column.blockX + sizes.blockWidth - 2 - named.length * (side + room + gap)
    : column.blockX + 5 + mapTextWidth(block.note, fonts, sizes.detail, false) + 3;
  const y = part.top + sizes.block.attention - up;
  for (const name of named) {
    const open = () => (name === block.place ? ctx.openPlace(block) : ctx.openMask(block));
    const badge = mapBadge(name, x, y, ctx, open);
    made.push(badge.node);
    x += badge.width + gap;
  }
  part.blocks.push(...made);
}
