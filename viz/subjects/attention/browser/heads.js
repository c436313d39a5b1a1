// All heads: a thumbnail for each, by layer and head or sorted by what they do. A click opens one.

import {
  colours,
  context2d,
  hatchCells,
  paintCells,
  tooltip,
} from "../../../pictures/browser/canvas.js";
import { choice, element, followWidth } from "../../../pictures/browser/elements.js";
import { drawnHead } from "../../../pictures/browser/run.js";
import { CODE_MASKED, weightColour } from "../../../pictures/browser/weights.js";

/** @type {[import("../../../pictures/browser/wire").Kind | "combined", string][]} */
const KIND_WORDS = [
  ["encoder self-attention", "Encoder"],
  ["decoder self-attention", "Decoder"],
  ["cross-attention", "Cross"],
  ["combined", "All three"],
];
const THUMB_GAP = 6;
const LABEL_ROOM = 30;

function heads(loupe, { host, listen, signal }) {
  let drawn = null;

  const draw = () => {
    const run = loupe.run();
    const { selection } = loupe;
    if (!run || !selection) return;
    const { combined } = loupe.display;
    const shown = combined ? "combined" : selection.kind;
    drawn = state();
    host.replaceChildren(
      choice("Kind of attention", KIND_WORDS, shown, (kind) => {
        loupe.adjust({ combined: kind === "combined" });
        if (kind !== "combined") loupe.select({ kind });
      }),
      element(
        "label",
        { class: "loupe-field" },
        "Sort by ",
        element(
          "select",
          { onchange: (event) => loupe.adjust({ order: event.target.value }) },
          ...orders(),
        ),
      ),
      order() === "place" ? grid(run, shown) : sorted(run, shown, measured()[order()]),
      element("p", { class: "loupe-note" }, note(shown)),
    );
    mark();
  };

  const state = () =>
    `${loupe.selection.run} ${loupe.selection.kind} ${loupe.display.combined} ${order()}`;
  const measured = () =>
    loupe.run().metrics[loupe.display.combined ? "cross-attention" : loupe.selection.kind] ?? {};
  const order = () => (measured()[loupe.display.order] ? loupe.display.order : "place");

  const orders = () =>
    [["place", "layer and head"], ...Object.keys(measured()).map((name) => [name, name])].map(
      ([value, words]) => element("option", { value, selected: value === order() }, words),
    );

  const sizes = (run) => {
    const layers = loupe.display.combined
      ? Math.max(run.kinds["encoder self-attention"].layers, run.kinds["cross-attention"].layers)
      : loupe.stack().layers;
    return { layers, heads: loupe.stack("cross-attention").heads };
  };

  // A table of layers and heads, the lowest layer first.
  const grid = (run, shown) => {
    const { layers, heads } = sizes(run);
    const gap = heads > 8 ? 3 : THUMB_GAP;
    const room = host.clientWidth - LABEL_ROOM - heads * (gap + 2);
    const side = Math.max(
      14,
      Math.min(loupe.display.combined ? 150 : 96, Math.floor(room / heads)),
    );
    const table = element("div", {
      class: "loupe-grid",
      style: `grid-template-columns: 20px repeat(${heads}, ${side + 2}px); gap: ${gap}px`,
    });
    table.append(element("span"));
    for (let head = 0; head < heads; head++)
      table.append(element("span", { class: "loupe-label" }, `H${head}`));
    for (let layer = 0; layer < layers; layer++) {
      table.append(element("span", { class: "loupe-label" }, `L${layer}`));
      for (let head = 0; head < heads; head++) table.append(thumb(run, shown, layer, head, side));
    }
    return table;
  };

  const sorted = (run, shown, values) => {
    const heads = values.flatMap((row, layer) =>
      row.map((value, head) => ({ layer, head, value })),
    );
    heads.sort((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity));
    const side = Math.max(40, Math.min(96, Math.floor(host.clientWidth / 4) - THUMB_GAP - 2));
    return element(
      "div",
      { class: "loupe-flow" },
      ...heads.map(({ layer, head, value }) =>
        element(
          "figure",
          {},
          thumb(run, shown, layer, head, side),
          element(
            "figcaption",
            {},
            `L${layer} H${head} `,
            element("b", {}, value === null ? "–" : value.toFixed(2)),
          ),
        ),
      ),
    );
  };

  const thumb = (run, shown, layer, head, side) => {
    const { combined } = loupe.display;
    const kind = combined ? "cross-attention" : shown;
    const canvas = element("canvas");
    const button = element(
      "button",
      {
        type: "button",
        class: "loupe-thumb",
        "data-layer": layer,
        "data-head": head,
        "aria-label": `${shown}, layer ${layer}, head ${head}`,
        onclick: () => loupe.select({ kind, layer, head }),
        onpointermove: (event) =>
          tooltip.show(event, `layer ${layer}, head ${head}`, ...facts(run, kind, layer, head)),
        onpointerleave: () => tooltip.hide(),
      },
      canvas,
    );
    const palette = colours();
    if (combined) paintCombined(canvas, run, layer, head, side, palette);
    else paintThumb(canvas, loupe.stack(shown), layer, head, side, palette);
    return button;
  };

  const facts = (run, kind, layer, head) =>
    Object.entries(run.metrics[kind] ?? {}).flatMap(([name, values]) => {
      const value = values[layer]?.[head];
      return value == null ? [] : [`${name} ${value.toFixed(2)}`];
    });

  const note = (shown) => {
    if (shown === "combined")
      return (
        "Encoder and cross-attention above, decoder below: here columns are the tokens that read, rows the tokens " +
        "read, first those of the source, then those of the target."
      );
    const reduced = loupe.stack().whole
      ? ""
      : ` Reduced to ${loupe.stack().drawn.join(" × ")}: each cell shows the largest weight of its part.`;
    return `Rows read columns, as in the large map; stronger colour is more weight, from 0 to 1.${reduced}`;
  };

  const mark = () => {
    const { layer, head } = loupe.selection;
    for (const node of host.querySelectorAll(".loupe-thumb")) {
      const chosen = Number(node.dataset.layer) === layer && Number(node.dataset.head) === head;
      node.setAttribute("aria-pressed", String(chosen));
    }
  };

  listen((what) => {
    if (what === "hover" || what === "exact" || !loupe.run()) return;
    if (what === "run" || drawn !== state()) draw();
    else if (what === "measures") host.querySelector("select").replaceChildren(...orders());
    else mark();
  });
  followWidth(host, draw, signal);
  return draw;
}

// One head in a square of `side` pixels, as wide and high as its matrix allows.
function paintThumb(canvas, stack, layer, head, side, palette) {
  const { rows, columns, codes } = drawnHead(stack, layer, head);
  const cell = side / Math.max(rows, columns);
  const context = context2d(canvas, columns * cell, rows * cell);
  const place = { x: 0, y: 0, cell, gap: 0 };
  paintCells(context, rows, columns, place, (row, column) =>
    weightColour(codes[row * columns + column], palette),
  );
  if (cell > 3)
    hatchCells(
      context,
      rows,
      columns,
      place,
      (r, c) => codes[r * columns + c] === CODE_MASKED,
      palette.hatch,
    );
}

// All three kinds of one layer and head: (encoder | cross ; - | decoder), columns reading rows.
function paintCombined(canvas, run, layer, head, side, palette) {
  const sources = run.kinds["encoder self-attention"].drawn[0];
  const targets = run.kinds["decoder self-attention"].drawn[0];
  const gap = 2;
  const cell = (side - gap) / (sources + targets);
  const context = context2d(canvas, side, side);
  /** @type {[import("../../../pictures/browser/wire").Kind, number, number][]} */
  const blocks = [
    ["encoder self-attention", 0, 0],
    ["cross-attention", sources * cell + gap, 0],
    ["decoder self-attention", sources * cell + gap, sources * cell + gap],
  ];
  for (const [kind, x, y] of blocks) {
    const stack = run.kinds[kind];
    if (layer >= stack.layers) continue;
    const { rows, columns, codes } = drawnHead(stack, layer, head);
    paintCells(context, columns, rows, { x, y, cell, gap: 0 }, (key, query) =>
      weightColour(codes[query * columns + key], palette),
    );
    context.strokeStyle = palette.line;
    context.strokeRect(x + 0.5, y + 0.5, rows * cell - 1, columns * cell - 1);
  }
}

export const components = { heads };
