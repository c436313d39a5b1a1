// The map of the model: the paper's figure 1, encoder left, decoder right, from the inputs up.

import { colours, tooltip } from "../../../pictures/browser/canvas.js";
import { element, followWidth } from "../../../pictures/browser/elements.js";
import { mapArrange, mapDrawing } from "./map_arrange.js";
import { MAP_STACKS, mapSizes } from "./map_sizes.js";

const MAP_FOLD_MS = 260;
const createUnfolded = () => ({}); // "small encoder" -> whether its layers are all drawn; kept from page to page
let mapCount = 0;

function drawMap(loupe, { host, listen, signal }) {
  const root = element("div", { class: "loupe-map" });
  host.append(root);
  const mapUnfolded = loupe.part(createUnfolded);
  const hatch = `loupe-map-hatch-${mapCount++}`;
  const amount = { encoder: 0, decoder: 0 }; // how far each stack is unfolded, 0 to 1
  const latest = { encoder: null, decoder: null }; // layer that was last in view
  let given = null; // the map as Python sent it last: not drawn while there is no room
  let ctx = null; // of what is drawn: the map, its sizes, its pictures
  let drawing = null;
  let moving = 0;

  const shown = (stack) => {
    const last = ctx.map.layers[stack] - 1;
    const now = mapBlocksInView(loupe, ctx.map).find(
      (block) => block.stack === stack && block.layer != null,
    );
    if (now && !ctx.map.lit.length) latest[stack] = now.layer;
    return Math.min(latest[stack] ?? last, last);
  };

  const open = (block, more = {}) => {
    tooltip.hide();
    if (!block.kind) {
      loupe.go("map", { tensor: block.tensor });
      document
        .querySelector(".st-key-card_tensor")
        ?.scrollIntoView({ block: "nearest", behavior: "smooth" });
      return;
    }
    const change = { kind: block.kind, layer: block.layer, ...more };
    if (loupe.page === "" || loupe.page === "attention") loupe.select(change);
    else loupe.go("attention", change);
  };
  const openMask = (block) => {
    tooltip.hide();
    loupe.go("masks", { kind: block.kind, layer: block.layer });
  };

  const unfolded = (stack) => Boolean(mapUnfolded[`${ctx.map.size} ${stack}`]);
  const fold = (stack) => {
    tooltip.hide();
    mapUnfolded[`${ctx.map.size} ${stack}`] = !unfolded(stack);
    const from = { ...amount };
    const started = performance.now();
    const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = (now) => {
      const part = quiet ? 1 : Math.max(0, Math.min((now - started) / MAP_FOLD_MS, 1));
      const eased = 1 - (1 - part) ** 3;
      for (const each of MAP_STACKS)
        amount[each] = from[each] + (Number(unfolded(each)) - from[each]) * eased;
      arrange();
      if (part < 1) moving = requestAnimationFrame(step);
    };
    cancelAnimationFrame(moving);
    step(started);
  };

  const seen = ({ stack, layer }) =>
    layer === undefined || amount[stack] > 0 || shown(stack) === layer;
  const arrange = () => {
    mapArrange(drawing, amount, shown, ctx);
    mapPaint(ctx, seen, () => colours());
  };

  const draw = () => {
    if (!given || !root.clientWidth) return;
    const style = getComputedStyle(root);
    const fonts = {
      context: element("canvas").getContext("2d"),
      sans: style.fontFamily,
      mono: style.getPropertyValue("--mono") || "monospace",
    };
    const { map, codes } = given;
    const sizes = mapSizes(map, root.clientWidth);
    ctx = { loupe, map, codes, fonts, sizes, hatch, pictures: [], open, openMask, fold, unfolded };
    drawing = mapDrawing(ctx);
    cancelAnimationFrame(moving);
    for (const stack of MAP_STACKS) amount[stack] = Number(unfolded(stack));
    root.replaceChildren(drawing.svg);
    if (sizes.large) root.append(element("p", { class: "loupe-note" }, mapLegend(map)));
    arrange();
    mark();
  };

  const mark = () => {
    ctx.candidates();
    mapLight(loupe, root, ctx.map);
  };

  listen((what) => {
    if (!drawing || what === "hover" || what === "exact") return;
    arrange();
    mark();
  });
  followWidth(root, draw, signal);
  return (data) => {
    given = { map: data.meta, codes: data.codes.getChild("code").toArray() };
    draw();
    if (!data.meta.tensor || data.meta.tensor === loupe.tensor) return;
    loupe.tensor = data.meta.tensor; // the small map lights its block too
    loupe.tell("selection");
  };
}

function mapLegend({ blocks }) {
  const hatched = blocks.some(({ masks }) => masks) ? ", hatched where a mask hides" : "";
  return (
    "Strips show the numbers of this run, positions down and dimensions across, purple below 0 and olive above, " +
    `each scaled by its largest magnitude; squares show the weights of each head, from 0 to 1${hatched}.`
  );
}

// What the pages show that have a block of their own.
const MAP_ROLES = {
  positions: ["positions", "sum"],
  embeddings: ["embedding"],
  decoding: ["linear", "output"],
};

// The blocks in view. Every tensor of a run belongs to one block.
function mapBlocksInView(loupe, map) {
  const { page, selection } = loupe;
  if (map.lit.length) return map.blocks.filter(({ id }) => map.lit.includes(id));
  if ((page === "" || page === "attention") && selection)
    return map.blocks.filter(
      ({ kind, layer }) => kind === selection.kind && layer === selection.layer,
    );
  const tensor = map.tensor ?? loupe.tensor;
  if (page !== "map" || !tensor)
    return map.blocks.filter(({ role }) => MAP_ROLES[page]?.includes(role));
  const holds = (block) => block.holds?.includes(tensor);
  const found = map.blocks.filter((block) => holds(block) || tensor.startsWith(`${block.id}.`));
  return [found.find(holds) ?? found.at(-1)].filter(Boolean);
}

// Light the blocks in view, the badges on the page of masks, and the selected head.
function mapLight(loupe, root, map) {
  const lit = new Set(mapBlocksInView(loupe, map).map(({ id }) => id));
  for (const node of root.querySelectorAll(".loupe-map-block")) {
    const here = lit.has(node.dataset.block);
    node.classList.toggle("loupe-map-lit", here);
    if (here) node.setAttribute("aria-current", "location");
    else node.removeAttribute("aria-current");
  }
  for (const node of root.querySelectorAll(".loupe-map-badge"))
    node.classList.toggle("loupe-map-lit", loupe.page === "masks");
  for (const node of root.querySelectorAll(".loupe-map-head")) {
    const here = loupe.page !== "map" && lit.has(node.dataset.block);
    node.classList.toggle(
      "loupe-map-lit",
      here && node.dataset.head === String(loupe.selection?.head),
    );
  }
}

// Paint the pictures of the blocks that can be seen, where they changed.
function mapPaint(ctx, seen, coloursNow) {
  let palette = null;
  for (const picture of ctx.pictures) {
    if (!seen(picture.block)) continue;
    if (picture.needsRun && !ctx.loupe.runs.has(ctx.map.run)) continue;
    const key = picture.key();
    if (picture.painted === key) continue;
    picture.painted = key;
    palette ??= coloursNow();
    picture.paint(palette);
  }
}

export const components = { map: drawMap };
