// The whole map: its parts one above the other, the wires between them, and the unfolding of stacks.

import { element } from "../../../pictures/browser/elements.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { mapBox, mapButton, mapLine, mapText, mapTextWidth, mapWire } from "./map_draw.js";
import { mapInputs } from "./map_inputs.js";
import { mapKeepStop } from "./map_keys.js";
import { mapLayer } from "./map_layer.js";
import { mapOutputs } from "./map_outputs.js";
import { mapPartNode } from "./map_parts.js";
import { mapStacks } from "./map_sizes.js";

/** Create all nodes of the map in reading order; `mapArrange` puts them in their places.
 * @param {import("./map").Context} ctx
 */
export function mapDrawing(ctx) {
  const { map, sizes } = ctx;
  const under = element("svg:g", { "aria-hidden": "true" });
  const svg = element(
    "svg:svg",
    {
      class: `loupe-map-svg ${sizes.large ? "loupe-map-large" : ""}`,
      width: sizes.width * sizes.scale,
      role: "group",
      "aria-label": mapNamed(map),
    },
    mapHatch(ctx.hatch),
    under,
  );
  const columns = {};
  for (const stack of mapStacks(map)) {
    const inputs = mapInputs(stack, ctx);
    const layers = Array.from({ length: map.layers[stack] }, (_, layer) =>
      mapLayer(stack, layer, ctx),
    );
    const outputs = mapOutputs(stack, ctx);
    const toggle = mapToggle(stack, ctx);
    const column = { inputs, layers, outputs, toggle };
    inputs.node = mapPartNode(inputs, sayOf("map.part_input", stack));
    layers.forEach((part, layer) => {
      part.node = mapPartNode(part, sayOf("map.part_layer", stack, { layer }));
    });
    outputs.node = mapPartNode(outputs, sayOf("map.part_output", stack));
    svg.append(inputs.node, toggle, ...layers.map((part) => part.node), outputs.node);
    columns[stack] = column;
  }
  return { svg, under, columns };
}

function mapNamed(map) {
  const stacks = mapStacks(map);
  return stacks.length > 1 ? say("map.named") : sayOf("map.named_alone", stacks[0]);
}

function mapHatch(id) {
  return element(
    "svg:defs",
    {},
    element(
      "svg:pattern",
      { id, width: 4, height: 4, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      element("svg:line", { class: "loupe-map-hatch", x1: 0, y1: 0, x2: 0, y2: 4 }),
    ),
  );
}

/** Create the button "2 layers" that unfolds a stack: the N× of the paper.
 * @param {import("./wire").StackName} stack
 * @param {import("./map").Context} ctx
 */
function mapToggle(stack, ctx) {
  const { map, sizes, fonts } = ctx;
  const count = map.layers[stack];
  const column = sizes[stack];
  const edge = sizes.large ? 4 : 2;
  const [x, anchor] = column.out < 0 ? [column.x + edge, "start"] : [column.right - edge, "end"];
  const chevron = count > 1 ? 9 : 0;
  const middle = -sizes.toggle * 0.5 - 1.5;
  const room = Math.abs(column.centre - x) - 4;
  const wide = (text) => mapTextWidth(text, fonts, sizes.detail, false) + chevron;
  const full = say("map.layers", { count });
  const words = wide(full) <= room ? full : `${count} ×`;
  const width = wide(words);
  const textX = column.out < 0 ? x + chevron : x;
  const text = mapText(words, textX, middle, room - chevron, {
    role: "words",
    anchor,
    sizes,
    fonts,
  });
  if (count === 1) return element("svg:g", { class: "loupe-map-toggle" }, text);
  const left = column.out < 0 ? x : x - width;
  const { hit } = sizes;
  return mapButton(
    {
      class: "loupe-map-toggle",
      "data-stack": stack,
      "aria-expanded": "false",
      label: sayOf("map.in_stack", stack),
      isWritten: true,
    },
    () => [ctx.unfolded(stack) ? say("map.fold", { count }) : say("map.unfold", { count })],
    () => ctx.fold(stack),
    mapBox(left - 3, middle - hit / 2, Math.min(width, room) + 6, hit, 4, "loupe-map-hit"),
    element("svg:path", {
      class: "loupe-map-chevron",
      d: `M${left + 1} ${middle - 3.5}l3.5 3.5l-3.5 3.5`,
      "data-x": left + 3,
      "data-y": middle,
    }),
    text,
  );
}

/** Put every part in its place; `amount` says how far each stack is unfolded (0 to 1).
 * @param {Record<string, any>} drawing
 * @param {Record<import("./wire").StackName, number>} amount
 * @param {(stack: import("./wire").StackName) => number} shown
 * @param {import("./map").Context} ctx
 */
export function mapArrange({ svg, under, columns }, amount, shown, ctx) {
  const { sizes, map } = ctx;
  const ends = {};
  const stacks = mapStacks(map);
  for (const stack of stacks)
    ends[stack] = mapColumn(columns[stack], amount[stack], shown(stack), sizes);
  const height = Math.ceil(Math.max(...stacks.map((stack) => -ends[stack].top))) + 2;
  svg.setAttribute("height", height * sizes.scale);
  svg.setAttribute("viewBox", `0 ${-height} ${sizes.width} ${height}`);
  under.replaceChildren(
    ...stacks.flatMap((stack) =>
      mapSpine(stack, ends[stack], map.layers[stack], amount[stack], sizes),
    ),
    ...(stacks.length > 1 ? mapMemoryWires(columns, ends, sizes) : []),
    ...mapTies(columns, ends, ctx),
  );
  mapKeepStop(svg);
}

/** Return the height of a drawing with folded stacks.
 * @param {Record<string, any>} drawing
 * @param {import("./map").Context} ctx
 */
export function mapFoldedHeight({ columns }, { sizes, map }) {
  const tops = mapStacks(map).map((stack) => -mapColumn(columns[stack], 0, 0, sizes).top);
  return Math.ceil(Math.max(...tops)) + 2;
}

// Arrange the parts of one column; layers that are folded away have no height.
function mapColumn({ inputs, layers, outputs, toggle }, amount, shown, sizes) {
  let y = inputs.top;
  const first = y;
  const taps = [];
  layers.forEach((part, layer) => {
    const here = layer === shown ? 1 : amount;
    if (layer && here) y -= sizes.step * Math.min(amount, here);
    part.node.setAttribute("transform", `translate(0 ${y}) scale(1 ${here})`);
    part.node.setAttribute("opacity", here);
    part.node.style.display = here ? "" : "none";
    if (here && part.tap !== null) taps.push(y + part.tap * here);
    y += part.top * here;
  });
  outputs.node.setAttribute("transform", `translate(0 ${y})`);
  toggle.setAttribute("transform", `translate(0 ${y})`);
  toggle.setAttribute("aria-expanded", String(amount > 0.5));
  const chevron = toggle.querySelector(".loupe-map-chevron");
  chevron?.setAttribute(
    "transform",
    `rotate(${90 * amount} ${chevron.dataset.x} ${chevron.dataset.y})`,
  );
  return { first, last: y, taps, top: y + outputs.top };
}

// Draw the wire behind the frames, and the edges of the layers that are folded away.
function mapSpine(stack, { first, last }, count, amount, sizes) {
  const column = sizes[stack];
  const made = [
    mapWire([
      [column.centre, first],
      [column.centre, last],
    ]),
  ];
  const behind = Math.min(count - 1, 2);
  const step = sizes.large ? 5 : 3;
  for (let i = behind; i > 0 && amount < 1; i--) {
    const inset = step * i;
    const edge = mapBox(
      column.x + inset,
      last - inset,
      sizes.frame - 2 * inset,
      20,
      sizes.radius * 2,
      "loupe-map-frame",
    );
    edge.setAttribute("opacity", String(1 - amount));
    made.push(edge);
  }
  return made;
}

// Draw the wires from the encoder's output to the cross-attention of every decoder layer.
function mapMemoryWires(columns, ends, sizes) {
  const { memory, memoryFrom } = columns.encoder.outputs;
  const start = ends.encoder.last + memoryFrom;
  const turn = ends.encoder.last + memory;
  const { centre } = sizes.encoder;
  const way = (tap) => [
    [centre, start],
    [centre, turn],
    [sizes.bus, turn],
    [sizes.bus, tap],
    [sizes.decoder.x, tap],
  ];
  return ends.decoder.taps.map((tap) =>
    mapWire(way(tap), { role: "memory", corner: sizes.corner }),
  );
}

/** Draw dotted lines between blocks that share their weights.
 * @param {import("./map").Context} ctx
 */
function mapTies(columns, ends, ctx) {
  const { sizes, map, fonts } = ctx;
  const last = mapStacks(map).at(-1) ?? "decoder";
  const boxes = {
    source_embedding: columns.encoder?.inputs.embedding,
    target_embedding: columns.decoder?.inputs.embedding,
    generator: { ...columns[last].outputs.linear },
  };
  boxes.generator.y += ends[last].last;
  const middle = (box) => box.y + box.height / 2;
  const right = (box) => box.x + box.width;
  return map.ties.flatMap(([a, b]) => {
    const [from, to] = [boxes[a], boxes[b]];
    const beside = b === "target_embedding";
    const points = beside
      ? [
          [right(from), middle(from)],
          [to.x, middle(to)],
        ]
      : [
          [right(from), middle(from)],
          [sizes.tieX, middle(from)],
          [sizes.tieX, middle(to)],
          [right(to), middle(to)],
        ];
    const line = element(
      "svg:path",
      { class: "loupe-map-tie", d: mapLine(points, sizes.corner) },
      element("svg:title", {}, say("map.tied_title")),
    );
    if (!sizes.large) return [line];
    const [x, y] = beside
      ? [sizes.bus, middle(from) - 9]
      : [sizes.tieX + 9, (middle(from) + middle(to)) / 2];
    const words = mapText(beside ? say("map.tied") : say("map.tied_weights"), x, y, 200, {
      role: "words",
      anchor: "middle",
      sizes,
      fonts,
    });
    if (!beside) words.setAttribute("transform", `rotate(-90 ${x} ${y})`);
    return [line, words];
  });
}
