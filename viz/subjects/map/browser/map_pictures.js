// The pictures on the map: strips of signed numbers and thumbnails of weights. They are painted once they are visible.

import { element } from "../../../pictures/browser/elements.js";
import { drawnHead } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";
import { CODE_NAN, combinedCodes, weightColour } from "../../../pictures/browser/weights.js";
import { mapBox, mapButton } from "./map_draw.js";
import { MAP_LARGEST_CODE, MAP_NAN } from "./map_run.js";
import { mapHover } from "./map_words.js";

const MAP_SMALLEST_THUMB = 17;

/** Create a place for a block's tensor, with positions down and dimensions across.
 * @param {import("./map_run").Block} block
 * @param {import("./map").Context} ctx
 */
export function mapStrip(block, place, ctx) {
  const frame = element("svg:g", { class: "loupe-map-picture" });
  ctx.pictures.push({
    block,
    key: () => (ctx.picture(block.tensor) ? block.tensor : null),
    paint(palette) {
      const { rows, columns, codes } = ctx.picture(block.tensor);
      const url = mapImage(rows, columns, (i) => {
        const code = codes[i];
        return code === MAP_NAN
          ? null
          : palette.diverging[Math.round((code / MAP_LARGEST_CODE + 1) * 100)];
      });
      frame.replaceChildren(
        mapPicture(url, place, rows, columns),
        mapBox(place.x, place.y, place.width, place.height, 1, "loupe-map-edge"),
      );
    },
  });
  return frame;
}

/** Create a place for an attention's weights: of one head or, if `head` is null, of the head that is
 * selected in this layer, else the mean of all heads.
 * @param {import("./map_run").Block} block
 * @param {number | null} head
 * @param {import("./map").Context} ctx
 */
export function mapThumb(block, head, place, ctx) {
  const frame = element("svg:g", { class: "loupe-map-picture" });
  const selected = () => {
    const { selection } = ctx.loupe;
    if (head !== null) return head;
    return selection?.kind === block.kind && selection.layer === block.layer
      ? selection.head
      : null;
  };
  ctx.pictures.push({
    block,
    key: () => String(selected()),
    paint(palette) {
      const { rows, columns, codes } = mapWeights(ctx.run, block, selected());
      const url = mapImage(rows, columns, (i) =>
        codes[i] >= CODE_NAN ? null : weightColour(codes[i], palette),
      );
      const cell = Math.min(place.width / columns, place.height / rows);
      const [width, height] = [columns * cell, rows * cell];
      const x = place.x + (place.width - width) / 2;
      const y = place.y + (place.height - height) / 2;
      frame.replaceChildren(
        element("svg:rect", { x, y, width, height, fill: `url(#${ctx.hatch})` }),
        mapPicture(url, { x, y, width, height }, rows, columns),
        mapBox(x, y, width, height, 1, "loupe-map-edge"),
      );
    },
  });
  return frame;
}

/** Return the weights of one head as codes, or their mean over the heads of the layer.
 * @param {import("../../../pictures/browser/types").Run} run
 * @param {import("./map_run").Block} block
 * @param {number | null} head
 */
function mapWeights({ kinds }, { kind, layer }, head) {
  const stack = kinds[kind];
  if (head !== null) return drawnHead(stack, layer, head);
  const all = Array.from({ length: stack.heads }, (_, each) => drawnHead(stack, layer, each));
  const codes = combinedCodes(
    all.map((one) => one.codes),
    "mean",
  );
  return { ...all[0], codes };
}

let drawnOn = null; // one canvas in memory for all images, because creating one takes longer than drawing

// Return an image with one pixel per cell; a cell without a colour is transparent.
function mapImage(rows, columns, colourOf) {
  drawnOn ??= element("canvas").getContext("2d", { willReadFrequently: true });
  const { canvas } = drawnOn;
  Object.assign(canvas, { width: columns, height: rows });
  const image = new ImageData(columns, rows);
  for (let i = 0; i < rows * columns; i++) {
    const colour = colourOf(i);
    if (!colour) continue;
    image.data.set(colour, i * 4);
    image.data[i * 4 + 3] = 255;
  }
  drawnOn.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

// Place an image: enlarged, its cells are sharp squares; shrunk, neighbouring cells blend.
function mapPicture(url, { x, y, width, height }, rows, columns) {
  const sharp = width >= columns && height >= rows;
  return element("svg:image", {
    href: url,
    x,
    y,
    width,
    height,
    preserveAspectRatio: "none",
    class: sharp ? "loupe-map-sharp" : "",
  });
}

/** Draw the pictures beside the frame of a large map: the strip of a block, or a thumbnail for each head.
 * @param {import("./map_run").Block} block
 * @param {import("./map").Context} ctx
 */
export function mapFlank(block, y, height, ctx) {
  const { sizes } = ctx;
  const column = sizes[block.stack];
  if (!sizes.flank || sizes.flank < 24) return [];
  const start = (width) => (column.out < 0 ? sizes.flank - width : column.flank);
  if (!block.kind) {
    if (!block.pictured) return [];
    const width = Math.min(sizes.flank, 236);
    return [mapStripButton(block, { x: start(width), y, width, height }, ctx)];
  }
  const { side, columns, heads } = mapThumbGrid(ctx.map.heads, sizes.flank, height);
  const rows = Math.ceil(heads / columns);
  const width = columns * side + (columns - 1) * 6;
  const top = y + (height - rows * side - (rows - 1) * 6) / 2;
  return Array.from({ length: heads }, (_, i) => {
    const place = {
      x: start(width) + (i % columns) * (side + 6),
      y: top + Math.floor(i / columns) * (side + 6),
      width: side,
      height: side,
    };
    return mapHeadButton(block, heads === ctx.map.heads ? i : null, place, ctx);
  });
}

// Return the largest thumbnails for which all heads fit into one or two rows, else a single one for the mean.
function mapThumbGrid(heads, width, height) {
  const tries = [1, 2].map((rows) => {
    const columns = Math.ceil(heads / rows);
    return {
      heads,
      columns,
      side: Math.floor(
        Math.min((width - (columns - 1) * 6) / columns, (height - (rows - 1) * 6) / rows),
      ),
    };
  });
  const best = tries[1].side > tries[0].side ? tries[1] : tries[0];
  return best.side < MAP_SMALLEST_THUMB
    ? { heads: 1, columns: 1, side: Math.min(width, height) }
    : best;
}

/**
 * @param {import("./map_run").Block} block
 * @param {import("./map").Context} ctx
 */
function mapStripButton(block, place, ctx) {
  return element(
    "svg:g",
    {
      class: "loupe-map-beside",
      "data-block": block.id,
      onclick: () => ctx.open(block),
      onpointermove: (event) => tooltip.show(event, ...mapHover(block, ctx)),
      onpointerleave: () => tooltip.hide(),
    },
    mapStrip(block, place, ctx),
  );
}

/**
 * @param {import("./map_run").Block} block
 * @param {number | null} head
 * @param {import("./map").Context} ctx
 */
function mapHeadButton(block, head, place, ctx) {
  const words =
    head === null ? say("map.mean_of_heads", { count: ctx.map.heads }) : say("map.head", { head });
  return mapButton(
    {
      class: "loupe-map-beside loupe-map-head",
      "data-block": block.id,
      "data-head": head ?? "",
      label: say("map.head_label", { label: block.label, layer: block.layer, head: words }),
    },
    () => [
      element("b", {}, words),
      element(
        "div",
        {},
        element("code", {}, head === null ? block.tensor : `${block.tensor}[${head}]`),
      ),
      say("map.rows_read"),
    ],
    () => ctx.open(block, head === null ? {} : { head }),
    mapThumb(block, head, place, ctx),
  );
}
