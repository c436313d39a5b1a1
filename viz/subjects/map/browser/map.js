// The map of the model: figure 1 of the paper, with the encoder left and the decoder right, from the inputs upwards.

import { element, followWidth, roomOf } from "../../../pictures/browser/elements.js";
import { TYPED } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import { readTensors } from "../../../pictures/browser/tensors.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";
import { mapArrange, mapDrawing, mapFoldedHeight } from "./map_arrange.js";
import { createFolds } from "./map_folds.js";
import { mapFollowKeys } from "./map_keys.js";
import { mapFits, mapOf } from "./map_run.js";
import { mapSizes } from "./map_sizes.js";
import { mapBlocksInView, mapLight, mapPaint } from "./map_view.js";
import { mapSaid } from "./map_words.js";

/** What a drawing needs: the map, its run, its sizes, its pictures.
 * @typedef {Record<string, any> & import("./map_run").RunMap & {sizes: any, fonts: any}} Context
 */

const NARROWEST = 120; // pixels: in less room, as in a closed sidebar, there is no map
const FOOT = 16; // pixels between the map and the end of the screen
const [LEAST_WIDE, LEAST_TYPE] = [600, 12]; // width and type in pixels of a large map that is not enlarged
const MOST_LARGER = 1.7;

let mapCount = 0;

/** @type {import("../../../pictures/browser/types").Setup} */
function drawMap(loupe, { host, listen, signal, save }) {
  const root = element("div", { class: "loupe-map" });
  host.append(root);
  save({ name: say("map.saved_as") }); // its numbers are those of the whole run
  mapFollowKeys(root);
  const drawing = createDrawing(loupe, host, root, signal);
  const follower = createFollower(loupe);
  let isNew = false; // whether what Python sent last has not been drawn
  const draw = () => {
    if (!follower.isHere()) return;
    isNew = false;
    if (root.clientWidth >= NARROWEST) drawing.draw(follower.now());
    else drawing.drop(); // nothing is drawn while there is no room
  };

  let isDue = false; // whether there is another map to draw
  const follow = () => {
    if (!drawing.isInUse()) return;
    if (isDue) drawing.change(follower.now());
    isDue = false;
    drawing.follow();
  };
  const followLater = createLater(follow, signal);
  listen((what) => {
    if (what === "hover") return;
    const isOther = follower.turn();
    if (!follower.isHere()) return;
    if (isNew) return draw();
    isDue = isOther || isDue;
    if (isDue && follower.size() === "small") followLater();
    else follow();
  });
  followWidth(root, draw, signal);
  return (data) => {
    follower.take(data);
    isNew = true;
    draw();
    const { tensor } = data.meta;
    if (!tensor || tensor === loupe.tensor) return;
    loupe.tensor = tensor; // the small map highlights its block too
    loupe.tell("selection");
  };
}

// Create a follower, which decides which run the map shows: that of the typed text, or Python's.
/** @param {import("../../../pictures/browser/types").Loupe} loupe */
function createFollower(loupe) {
  /** @type {import("./wire").WireShownMap | null} */
  let sent = null;
  let samples = {};
  let shown = { key: "", run: /** @type {import("../../../pictures/browser/types").Run} */ (null) };
  // The map of a typed text stays until Python's map of the run in view has arrived.
  const isTyped = () =>
    loupe.selection?.run === TYPED || (shown.key === TYPED && sent.run !== loupe.selection?.run);
  const turn = () => {
    const { run } = shown;
    const key = sent && isTyped() && mapFits(sent, loupe.traces.get(TYPED)) ? TYPED : sent?.run;
    shown = { key, run: loupe.runs.get(key) };
    return shown.run !== run;
  };
  return {
    /** @param {{meta: import("./wire").WireShownMap, numbers?: import("../../../pictures/browser/types").ArrowTable<Float32Array<ArrayBuffer>>}} data */
    take({ meta, numbers }) {
      sent = meta;
      const read = numbers ? readTensors(meta.samples, numbers.getChild("number").toArray()) : {};
      samples = Object.fromEntries(
        Object.entries(read).map(([name, sample]) => [
          name,
          { ...sample, largest: meta.samples[name].largest },
        ]),
      );
      turn();
    },
    /** Return whether there is another map to draw. */
    turn,
    isHere: () => Boolean(shown.run),
    now: () => mapOf(loupe, sent, samples, shown.key),
    size: () => sent.size,
  };
}

// Create a function that acts once, after the next frame: the small map waits until the page beside it is painted.
function createLater(act, signal) {
  let waiting = 0;
  signal.addEventListener("abort", () => cancelAnimationFrame(waiting));
  return () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => setTimeout(act));
  };
}

// Create the drawing of a map, which follows what is in view.
function createDrawing(loupe, host, root, signal) {
  const hatch = `loupe-map-hatch-${mapCount++}`;
  /** @type {Context | null} */
  let ctx = null; // of what is drawn
  let parts = null;
  let isInUse = false; // false while there is no room
  const told = createTold(loupe, root, () => ctx);
  const arrangement = createArrangement(loupe, root, () => ({ ctx, parts }), signal);
  const events = createEvents(loupe, arrangement.folds, told);
  const make = (now, sizes) => {
    const fonts = { context: element("canvas").getContext("2d"), ...roomOf(host) };
    ctx = { loupe, ...now, ...events, fonts, sizes, hatch, pictures: [], fills: [] };
    parts = mapDrawing(ctx);
    isInUse = true;
    arrangement.begin();
  };
  const follow = () => {
    for (const fill of ctx.fills) fill();
    mapLight(loupe, root, ctx.map); // first, because the keyboard starts at the block in view
    told.follow();
    arrangement.follow();
  };
  return {
    isInUse: () => isInUse,
    drop: () => (isInUse = false),
    follow,
    /** @param {import("./map_run").RunMap} now */
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
    /** Draw another map of the model in the existing boxes, or in new ones if its shapes differ.
     * @param {import("./map_run").RunMap} now
     */
    change(now) {
      if (String(Object.values(now.widths)) === String(Object.values(ctx.widths))) {
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

// Create the arrangement of a map's boxes: its folds, and the layers in view for which the boxes were arranged.
function createArrangement(loupe, root, drawn, signal) {
  let arranged = ""; // the layers in view for which the boxes are arranged
  const arrange = () => {
    const { ctx, parts } = drawn();
    arranged = folds.shownNow();
    // The room above a folded encoder is used for the text about a block.
    root.classList.toggle("loupe-map-roomy", ctx.sizes.large && !folds.amount.encoder);
    mapArrange(parts, folds.amount, folds.shown, ctx);
    mapPaint(ctx, folds.isSeen);
  };
  const folds = createFolds(loupe, () => drawn().ctx.map, arrange, signal);
  return {
    folds,
    begin() {
      folds.settle();
      arranged = "";
    },
    follow() {
      if (arranged === folds.shownNow()) mapPaint(drawn().ctx, folds.isSeen);
      else arrange();
    },
  };
}

// Create the large map's text about one block: the one in view, or the one that a finger touched first.
function createTold(loupe, root, context) {
  const node = element("div", { class: "loupe-map-told", role: "status" });
  let touches = false; // whether the last pointer was a finger, which cannot hover
  let touched = null; // id of the block that was touched
  let said = ""; // the block in the text, which is not read out again for each key typed
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
    /** Return whether a touch only asks what a block is; a second touch opens it.
     * @param {import("./map_run").Block} block
     */
    holds(block) {
      const first = touches && context().map.size === "large" && touched !== block.id;
      touched = touches ? block.id : null;
      if (first) show(block);
      return first;
    },
  };
}

// Create the actions of the blocks, of the masks' badges, and of the stacks' toggles.
function createEvents(loupe, folds, told) {
  const openTensor = (tensor) => {
    loupe.go("map", { tensor });
    const card = document.querySelector(".st-key-card_tensor");
    const isQuiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
    card?.scrollIntoView({ block: "nearest", behavior: isQuiet ? "auto" : "smooth" });
  };
  return {
    /**
     * @param {import("./map_run").Block} block
     * @param {{head?: number}} [more]
     * @param {boolean} [atOnce] whether a single touch opens it, too
     */
    open(block, more = {}, atOnce = false) {
      tooltip.hide();
      if (!atOnce && told.holds(block)) return;
      const change = { kind: block.kind, layer: block.layer, ...more };
      if (!block.kind) openTensor(block.tensor);
      else if (loupe.page === "" || loupe.page === "attention") loupe.select(change);
      else loupe.go("attention", change);
    },
    /** @param {import("./map_run").Block} block */
    openMask({ kind, layer }) {
      tooltip.hide();
      loupe.go("masks", { kind, layer });
    },
    /** @param {import("./map_run").Block} block */
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

// Return how much a map is enlarged: it should fit below the parts above it, in readable type.
function scaleFor(root, height) {
  const scrolled = root.closest("[data-testid=stMain]")?.scrollTop ?? 0;
  const room = innerHeight - root.getBoundingClientRect().top - scrolled - FOOT;
  const type = Number.parseFloat(getComputedStyle(root).getPropertyValue("--least-font")) || 12;
  const widest = root.clientWidth / LEAST_WIDE;
  return Math.min(widest, Math.max(type / LEAST_TYPE, Math.min(room / height, MOST_LARGER)));
}

export const components = { map: drawMap };
