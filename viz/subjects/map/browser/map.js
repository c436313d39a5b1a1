// The map of the model: the paper's figure 1, encoder left, decoder right, from the inputs up.

import { element, followWidth, roomOf } from "../../../pictures/browser/elements.js";
import { typedNow } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";
import { mapArrange, mapDrawing, mapFoldedHeight } from "./map_arrange.js";
import { createFolds } from "./map_folds.js";
import { mapFollowKeys } from "./map_keys.js";
import { mapFits, mapOwn } from "./map_own.js";
import { mapSizes } from "./map_sizes.js";
import { mapBlocksInView, mapLight, mapPaint } from "./map_view.js";
import { mapSaid } from "./map_words.js";

/** What is drawn: the map, its sizes, its pictures.
 * @typedef {Record<string, any> & {map: import("./wire").WireShownMap, sizes: any, fonts: any}} Context
 */

const NARROWEST = 120; // pixels: with less, as in a sidebar that is closed, there is no map
const FOOT = 16; // pixels below the map, to the end of the screen
const [LEAST_WIDE, LEAST_TYPE] = [600, 12]; // of a large map before it is enlarged
const MOST_LARGER = 1.7;

let mapCount = 0;

/** @typedef {{map: import("./wire").WireShownMap, codes: Int8Array}} Drawn */

/** @type {import("../../../pictures/browser/types").Setup} */
function drawMap(loupe, { host, listen, signal, save }) {
  const root = element("div", { class: "loupe-map" });
  host.append(root);
  save({ name: say("map.saved_as") }); // its numbers are those of the whole run
  mapFollowKeys(root);
  const drawing = createDrawing(loupe, host, root, signal);
  /** @type {Drawn | null} */
  let given = null; // as Python sent it last: not drawn while there is no room
  let answer = null; // what is typed, while the map is of that
  const now = () => (answer ? mapOwn(given.map, answer) : given);
  // Whether there is another map to draw. What was typed stays until Python's map of the run in view is here.
  const turn = () => {
    const before = answer;
    const kept = given.map.run === loupe.selection?.run ? null : answer;
    const next = typedNow(loupe) ?? kept;
    answer = next && mapFits(given.map, next) ? next : null;
    return answer !== before;
  };
  const draw = () => {
    if (!given) return;
    if (root.clientWidth >= NARROWEST) drawing.draw(now());
    else drawing.drop();
  };

  let isDue = false; // there is another map to draw
  const follow = () => {
    if (!drawing.isInUse()) return;
    if (isDue) drawing.change(now());
    isDue = false;
    drawing.follow();
  };
  const followLater = createLater(follow, signal);
  listen((what) => {
    if (!given || what === "hover") return;
    isDue = turn() || isDue;
    if (isDue && given.map.size === "small") followLater();
    else follow();
  });
  followWidth(root, draw, signal);
  /** @param {{meta: import("./wire").WireShownMap, codes: import("../../../pictures/browser/types").ArrowTable<Int8Array>}} data */
  return (data) => {
    given = { map: data.meta, codes: data.codes.getChild("code").toArray() };
    turn();
    draw();
    if (!data.meta.tensor || data.meta.tensor === loupe.tensor) return;
    loupe.tensor = data.meta.tensor; // the small map lights its block too
    loupe.tell("selection");
  };
}

// Does a thing once, after the next frame: the small map waits until what it stands beside is painted.
function createLater(act, signal) {
  let waiting = 0;
  signal.addEventListener("abort", () => cancelAnimationFrame(waiting));
  return () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => setTimeout(act));
  };
}

// A map as it is drawn, and what of it is in view.
function createDrawing(loupe, host, root, signal) {
  const hatch = `loupe-map-hatch-${mapCount++}`;
  /** @type {Context | null} */
  let ctx = null; // of what is drawn: the map, its sizes, its pictures
  let parts = null;
  let isInUse = false; // not while there is no room
  let arranged = ""; // for which layers in view
  const told = createTold(loupe, root, () => ctx);

  const arrange = () => {
    arranged = folds.shownNow();
    // Above the folded encoder there is room: what is said stands there.
    root.classList.toggle("loupe-map-roomy", ctx.sizes.large && !folds.amount.encoder);
    mapArrange(parts, folds.amount, folds.shown, ctx);
    mapPaint(ctx, folds.isSeen);
  };
  const folds = createFolds(loupe, () => ctx.map, arrange, signal);
  const events = createEvents(loupe, folds, told);
  const make = (now, sizes) => {
    const fonts = { context: element("canvas").getContext("2d"), ...roomOf(host) };
    ctx = { loupe, ...now, ...events, fonts, sizes, hatch, pictures: [], fills: [] };
    parts = mapDrawing(ctx);
    isInUse = true;
    folds.settle();
    arranged = "";
  };
  const follow = () => {
    for (const fill of ctx.fills) fill();
    mapLight(loupe, root, ctx.map); // first, because the keyboard begins at the block in view
    told.follow();
    if (arranged === folds.shownNow()) mapPaint(ctx, folds.isSeen);
    else arrange();
  };
  return {
    isInUse: () => isInUse,
    drop: () => (isInUse = false),
    follow,
    /** @param {Drawn} now */
    draw(now) {
      const touched = matchMedia("(pointer: coarse)").matches;
      const sizesAt = (scale) => mapSizes(now.map, root.clientWidth, { scale, touched });
      make(now, sizesAt(1));
      if (ctx.sizes.large) make(now, sizesAt(scaleFor(root, mapFoldedHeight(parts, ctx))));
      root.replaceChildren(parts.svg);
      if (now.map.size === "large") {
        root.prepend(told.node);
        root.append(element("p", { class: "loupe-note" }, say("map.legend")));
      }
      follow();
    },
    /** Take another map of the model: into the boxes that are there, unless they name another number of tokens.
     * @param {Drawn} now
     */
    change(now) {
      if (String(Object.values(now.map.widths)) === String(Object.values(ctx.map.widths))) {
        Object.assign(ctx, now);
        for (const picture of ctx.pictures) picture.painted = null;
      } else {
        const { svg } = parts;
        make(now, ctx.sizes);
        svg.replaceWith(parts.svg);
      }
    },
  };
}

// What the large map says of one block: the one in view, or the one that a finger touched first.
function createTold(loupe, root, context) {
  const node = element("div", { class: "loupe-map-told", role: "status" });
  let touches = false; // whether the last pointer was a finger, which cannot hover
  let touched = null; // id of the block that it touched
  let said = ""; // what is read out once, not at each key that is typed
  root.addEventListener("pointerdown", (event) => (touches = event.pointerType === "touch"), {
    capture: true,
  });
  const show = (block) => {
    const ctx = context();
    const what = `${block?.id} ${block?.label}`;
    if (ctx.map.size !== "large" || what === said) return;
    said = what;
    node.replaceChildren(...mapSaid(block, ctx, () => ctx.open(block, {}, true)));
  };
  return {
    node,
    follow: () => {
      const { map } = context();
      const [block] = mapBlocksInView(loupe, map);
      show(map.blocks.find(({ id }) => id === touched) ?? block);
    },
    /** Whether a touch only asks what a block is: a second one opens it.
     * @param {import("./wire").WireBlock} block
     */
    holds(block) {
      const first = touches && context().map.size === "large" && touched !== block.id;
      touched = touches ? block.id : null;
      if (first) show(block);
      return first;
    },
  };
}

// Where the blocks, the masks' badges and the stacks' toggles lead.
function createEvents(loupe, folds, told) {
  const openTensor = (tensor) => {
    loupe.go("map", { tensor });
    const card = document.querySelector(".st-key-card_tensor");
    const isQuiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
    card?.scrollIntoView({ block: "nearest", behavior: isQuiet ? "auto" : "smooth" });
  };
  return {
    /**
     * @param {import("./wire").WireBlock} block
     * @param {{head?: number}} [more]
     * @param {boolean} [atOnce] Whether a touch opens it too.
     */
    open(block, more = {}, atOnce = false) {
      tooltip.hide();
      if (!atOnce && told.holds(block)) return;
      const change = { kind: block.kind, layer: block.layer, ...more };
      if (!block.kind) openTensor(block.tensor);
      else if (loupe.page === "" || loupe.page === "attention") loupe.select(change);
      else loupe.go("attention", change);
    },
    /** @param {import("./wire").WireBlock} block */
    openMask({ kind, layer }) {
      tooltip.hide();
      loupe.go("masks", { kind, layer });
    },
    /** @param {import("./wire").WireBlock} block */
    openPlace({ id, place }) {
      openTensor(`${id}.${place === "rotary" ? "query" : "bias"}`);
    },
    /** @param {import("./wire").StackName} stack */
    fold(stack) {
      tooltip.hide();
      folds.toggle(stack);
    },
    unfolded: folds.isUnfolded,
  };
}

// How much larger a map is drawn so that all of it fits below what stands above it, in type that can be read.
function scaleFor(root, height) {
  const scrolled = root.closest("[data-testid=stMain]")?.scrollTop ?? 0;
  const room = innerHeight - root.getBoundingClientRect().top - scrolled - FOOT;
  const type = Number.parseFloat(getComputedStyle(root).getPropertyValue("--least-font")) || 12;
  const widest = root.clientWidth / LEAST_WIDE;
  return Math.min(widest, Math.max(type / LEAST_TYPE, Math.min(room / height, MOST_LARGER)));
}

export const components = { map: drawMap };
