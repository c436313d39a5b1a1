// The heads of a training at the snapshot in view: the chosen head large, all heads small.

import { paintSmall } from "../../../pictures/browser/canvas.js";
import { cellFont, colours } from "../../../pictures/browser/colours.js";
import { element, pushButton, roomOf } from "../../../pictures/browser/elements.js";
import { heatmap } from "../../../pictures/browser/heatmap.js";
import { say } from "../../../pictures/browser/say.js";
import { readsLine, tooltip } from "../../../pictures/browser/tooltip.js";
import { CODE_MASKED, weightColour, weightWords } from "../../../pictures/browser/weights.js";

const SMALLEST = 34; // side of a small head in pixels
const NAME = 3; // width of a head's name, in sizes of its letters
const LARGEST = 72;
const BESIDE = 16; // pixels of the border of a head and of the gap to the next
const ROOM = 300;
const GAPS = 18; // pixels above and below the large head
const LARGEST_CELL = 38;
const ROOM_FOR = 12.5; // size of letters for which that room is enough

export function createHeads(view) {
  const title = element("h2", { class: "loupe-heading" });
  const big = element("div", { class: "loupe-lapse-head" });
  const thumbs = createThumbs(view);
  const most = () => (roomOf(big).high ?? Infinity) - GAPS - thumbs.node.offsetHeight;
  const map = heatmap(big, () => specOf(view, big.clientWidth, most()), {
    label: say("training.head_map"),
    point: (cell, event) => point(view, map, cell, event),
    choose: () => {},
  });
  return {
    node: element("div", { class: "loupe-lapse-left" }, title, big, thumbs.node),
    build() {
      const { name, layer, head } = view.meta;
      title.replaceChildren(
        element("span", {}, say("training.one_head")),
        element("code", {}, `${name.replace("{layer}", layer)}[${head}]`),
      );
      thumbs.build();
    },
    draw() {
      thumbs.draw();
      map.draw();
    },
  };
}

// Return the code of a cell of a head at the snapshot in view.
function codeAt({ meta, codes, now }, layer, head, row, column) {
  const [rows, columns] = [meta.rowTokens.length, meta.columnTokens.length];
  const first = ((now * meta.layers + layer) * meta.heads + head) * rows * columns;
  return codes[first + row * columns + column];
}

function specOf(view, width, high) {
  const { rowTokens, columnTokens, rowTitle, columnTitle, layer, head } = view.meta;
  const palette = colours();
  const scale = cellFont() / ROOM_FOR;
  const code = (row, column) => codeAt(view, layer, head, row, column);
  return {
    rows: rowTokens.length,
    columns: columnTokens.length,
    rowTokens,
    columnTokens,
    rowTitle,
    columnTitle,
    room: [Math.min(ROOM * scale, width || ROOM), Math.min(ROOM * scale, high)],
    most: LARGEST_CELL * scale,
    colourOf: (row, column) => weightColour(code(row, column), palette),
    isMasked: (row, column) => code(row, column) === CODE_MASKED,
  };
}

function point(view, map, cell, event) {
  if (cell?.row === undefined || cell.column === undefined) {
    map.outline([]);
    return tooltip.hide();
  }
  const palette = colours();
  map.outline([
    { row: cell.row, colour: palette.query, width: 1.5 },
    { column: cell.column, colour: palette.key, width: 1.5 },
  ]);
  const { rowTokens, columnTokens, layer, head, steps } = view.meta;
  const weight = weightWords(codeAt(view, layer, head, cell.row, cell.column));
  const tokens = readsLine(rowTokens[cell.row], columnTokens[cell.column]);
  tooltip.show(event, tokens, say("training.weight", { weight, step: steps[view.now] }));
}

function createThumbs(view) {
  const node = element("div", { class: "loupe-lapse-heads" });
  let thumbs = [];
  let built = ""; // what the thumbnails were built for
  const button = ({ layer, head, canvas }) => {
    const name = `L${layer} H${head}`;
    return pushButton(
      {
        "aria-label": `${name}: ${say("training.head_label", { layer, head })}`,
        "aria-pressed": String(layer === view.meta.layer && head === view.meta.head),
        onclick: () => view.trigger("head", { layer, head }),
      },
      canvas,
      element("span", {}, name),
    );
  };
  return {
    node,
    build() {
      const { layers, heads, layer, head } = view.meta;
      const smallest = Math.max(SMALLEST, NAME * cellFont());
      const shape = [layers, heads, layer, head, node.clientWidth, smallest].join();
      if (shape === built) return;
      built = shape;
      node.hidden = layers * heads < 2;
      const width = node.clientWidth || ROOM;
      const inRow = layers * heads * (smallest + BESIDE) <= width ? layers * heads : heads;
      const fits = Math.floor(width / inRow) - BESIDE;
      const size = Math.max(SMALLEST, Math.min(LARGEST, fits));
      thumbs = Array.from({ length: layers * heads }, (_, i) => {
        const canvas = element("canvas", { "aria-hidden": "true" });
        return { layer: Math.floor(i / heads), head: i % heads, canvas, size };
      });
      node.style.setProperty("--lapse-heads", String(inRow));
      node.replaceChildren(...thumbs.map(button));
    },
    draw() {
      for (const thumb of thumbs) paintThumb(view, thumb, colours());
    },
  };
}

function paintThumb(view, { layer, head, canvas, size }, palette) {
  const [rows, columns] = [view.meta.rowTokens.length, view.meta.columnTokens.length];
  paintSmall(canvas, rows, columns, size, (row, column) =>
    weightColour(codeAt(view, layer, head, row, column), palette),
  );
}
