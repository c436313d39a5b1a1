// The parts of the map, each laid out from its bottom (0) up (negative): inputs, one layer, outputs.

import { element } from "../../../pictures/browser/elements.js";
import { mapBlock } from "./map_blocks.js";
import { mapBadge, mapBox, mapText, mapTextWidth, mapWire } from "./map_draw.js";
import { mapFlank } from "./map_pictures.js";

// What a part is put together from; `top` is where its last block ends.
function mapPart() {
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
 * @param {import("./wire").WireBlock} block
 * @param {number} height
 * @param {number} gap
 * @param {import("./map").Context} ctx
 * @param {{wire?: boolean, x?: number, width?: number}} [options]
 */
function mapStack(part, block, height, gap, ctx, { wire = true, x, width } = {}) {
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
  part.beside.push(...mapFlank(block, box.y, height, ctx));
  part.top = box.y;
  return box;
}

/** Tokens, their embedding, and the positions that are added to it.
 * @param {import("./wire").Stack} stack
 * @param {import("./map").Context} ctx
 */
export function mapInputs(stack, ctx) {
  const { sizes, map } = ctx;
  const column = sizes[stack];
  const part = mapPart();
  const own = map.blocks.filter((block) => block.stack === stack && block.layer === undefined);
  const find = (role) => own.find((block) => block.role === role);
  const half =
    Math.min(column.centre - column.x, column.right - column.centre) + (sizes.large ? 28 : 3);
  mapStack(part, find("tokens"), sizes.ends.tokens, 0, ctx, {
    x: column.centre - half,
    width: 2 * half,
  });
  part.embedding = mapStack(part, find("embedding"), sizes.block.embedding, sizes.step, ctx);
  if (find("positions")) mapAddition(part, find("positions"), find("sum"), ctx);
  const bottom = part.top;
  part.top -= sizes.stub;
  part.wires.push(
    mapWire([
      [column.centre, bottom],
      [column.centre, part.top],
    ]),
  );
  part.wires.push(
    mapShape(map.widths[stack], column.centre + 6, bottom - sizes.stub / 2, ctx, column.right),
  );
  if (sizes.large && find("sum"))
    part.beside.push(...mapFlank(find("sum"), bottom - sizes.stub + 6, sizes.stub - 14, ctx));
  return part;
}

// The positions stand outside, and an arrow takes them to the sum.
function mapAddition(part, positions, sum, ctx) {
  const { sizes } = ctx;
  const column = sizes[positions.stack];
  const height = sizes.block.positions;
  const bottom = part.top - sizes.step;
  const middle = bottom - height / 2;
  const [edge, reach] = [sizes.sum + sizes.arrow * 2.5, sizes.sum];
  const over = sizes.large ? 8 : 0; // the name of the kind is long
  const outer = column.out < 0 ? column.x - over : column.right + over;
  const inner = column.centre + column.out * edge;
  const x = Math.min(outer, inner);
  part.wires.push(
    mapWire(
      [
        [column.centre, part.top],
        [column.centre, middle + reach],
      ],
      { arrow: sizes.arrow },
    ),
    mapWire(
      [
        [inner, middle],
        [column.centre + column.out * reach, middle],
      ],
      { arrow: sizes.arrow },
    ),
    mapWire([
      [column.centre, middle - reach],
      [column.centre, bottom - height],
    ]),
  );
  const box = { x, y: bottom - height, width: Math.abs(outer - inner), height };
  const circle = {
    x: column.centre - reach,
    y: middle - reach,
    width: 2 * reach,
    height: 2 * reach,
  };
  part.blocks.push(mapBlock(positions, box, ctx), mapBlock(sum, circle, ctx));
  part.beside.push(...mapFlank(positions, box.y, height, ctx));
  part.top = bottom - height;
}

// A shape on a wire, where there is room beside it.
function mapShape(text, x, y, { sizes, fonts }, right) {
  return mapText(text, x, y, right - x, { role: "detail", sizes, fonts });
}

/** One layer in its frame: for each sublayer the norm before it, itself, and where its residual ends.
 * @param {import("./wire").Stack} stack
 * @param {number} layer
 * @param {import("./map").Context} ctx
 */
export function mapLayer(stack, layer, ctx) {
  const { sizes, map } = ctx;
  const column = sizes[stack];
  const part = mapPart();
  const blocks = map.blocks.filter((block) => block.stack === stack && block.layer === layer);
  for (let i = 0; i < blocks.length; i += map.pre_norm ? 3 : 2) {
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
    part.wires.push(
      mapText(`layer ${layer}`, x, top + sizes.head * 0.62, room, {
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
  if (sublayer.masks) mapBadges(part, sublayer, ctx);
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

/** The wire into an attention splits into value, key and query, in the order of the paper's figure.
 * Cross-attention takes values and keys from the memory; only its queries come from below.
 * @param {import("./wire").WireBlock} block
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
  if (crosses) {
    part.wires.push(
      mapWire(
        [
          [frame, tap],
          [centre - spread, tap],
        ],
        { role: "memory" },
      ),
    );
    part.tap = tap;
  } else
    part.wires.push(
      mapWire([
        [centre, part.top],
        [centre, split],
      ]),
    );
  for (const way of ways) {
    const role = way.pop();
    part.wires.push(mapWire(way, { role, arrow, corner: Math.min(corner, fork / 2) }));
    const [x, y] = way.at(-1);
    if (sizes.large)
      part.wires.push(
        element(
          "svg:text",
          {
            class: `loupe-map-letter ${role}`,
            x: x + 5,
            y: y + fork * 0.5,
            dy: "0.3em",
            "font-size": 11,
          },
          role[0].toUpperCase(),
        ),
      );
  }
  part.top = bottom;
}

/** The masks of the attention that was put last, in its box.
 * @param {import("./wire").WireBlock} block
 */
function mapBadges(part, block, ctx) {
  const { sizes, fonts } = ctx;
  const column = sizes[block.stack];
  const { gap, up } = sizes.badge;
  const made = [];
  let x = sizes.large
    ? 0
    : column.blockX + 5 + mapTextWidth(block.note, fonts, sizes.detail, false) + 3;
  const y = part.top + sizes.block.attention - up;
  if (sizes.large) {
    const widths = block.masks.map((mask) => mapBadge(mask, 0, y, ctx, () => {}).width);
    x = column.centre - (widths.reduce((a, b) => a + b) + gap * (widths.length - 1)) / 2;
  }
  for (const mask of block.masks) {
    const badge = mapBadge(mask, x, y, ctx, () => ctx.openMask(block));
    made.push(badge.node);
    x += badge.width + gap;
  }
  part.blocks.push(...made);
}

/** What stands above a stack: room for the fold, the final norm, and for the decoder its outputs.
 * @param {import("./wire").Stack} stack
 * @param {import("./map").Context} ctx
 */
export function mapOutputs(stack, ctx) {
  const { sizes, map } = ctx;
  const column = sizes[stack];
  const part = mapPart();
  const own = map.blocks.filter((block) => block.stack === stack && block.layer === undefined);
  const find = (role) => own.find((block) => block.role === role);
  const wire = (to, arrow = 0) => {
    part.wires.push(
      mapWire(
        [
          [column.centre, part.top],
          [column.centre, to],
        ],
        { arrow },
      ),
    );
    part.top = to;
  };
  const norm = find("final_norm");
  if (norm) {
    wire(-sizes.toggle, sizes.arrow);
    mapStack(part, norm, sizes.ends.final_norm, 0, ctx);
  }
  if (stack === "encoder") return mapMemory(part, norm, ctx);
  const rise = norm ? sizes.step * 2 : sizes.toggle;
  if (!norm) {
    const y = -sizes.toggle / 2 - 1.5;
    const shape = { role: "detail", anchor: "end", sizes, fonts: ctx.fonts };
    part.wires.push(
      mapText(map.widths.decoder, column.centre - 6, y, column.centre - column.x - 6, shape),
    );
  }
  wire(part.top - rise, sizes.arrow);
  part.linear = mapStack(part, find("linear"), sizes.ends.linear, 0, ctx);
  mapStack(part, find("output"), sizes.ends.output, sizes.step, ctx);
  mapStack(part, find("candidates"), sizes.ends.candidates, sizes.step, ctx);
  return part;
}

/** The encoder's output turns towards the decoder: the memory.
 * @param {import("./map").Context} ctx
 */
function mapMemory(part, norm, ctx) {
  const { sizes, map, fonts } = ctx;
  const column = sizes.encoder;
  part.memory = part.top - (norm ? sizes.step : sizes.toggle);
  const words = mapText("memory", column.centre, part.memory - sizes.label, sizes.frame, {
    role: "words",
    sizes,
    fonts,
  });
  const from = column.x + 6;
  words.setAttribute("x", from);
  part.wires.push(words);
  const after = from + mapTextWidth("memory", fonts, sizes.detail, false) + 6;
  part.wires.push(
    mapShape(
      map.widths.encoder,
      after,
      part.memory - sizes.label,
      ctx,
      column.right + sizes.gutter / 2,
    ),
  );
  part.memoryFrom = part.top;
  part.top = part.memory - sizes.label * 2;
  return part;
}
