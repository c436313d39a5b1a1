// The sizes of everything on the map, in CSS pixels: small in the sidebar, large on its own page.

/** @type {import("./wire").StackName[]} */
const MAP_STACKS = ["encoder", "decoder"];

/** Return the stacks of a model, the encoder first.
 * @param {{layers: object}} map
 */
export const mapStacks = ({ layers }) => MAP_STACKS.filter((stack) => stack in layers);

const MAP_LARGEST = 1100;
const MAP_ROOMY = 480; // in less room, a large map is drawn like a small one

const MAP_SMALL = {
  large: false,
  label: 11,
  detail: 10,
  block: {
    embedding: 32,
    embedding_norm: 18,
    positions: 22,
    attention: 40,
    feed_forward: 32,
    add_norm: 18,
    norm: 18,
    add: 16,
  },
  ends: { tokens: 30, final_norm: 18, transform: 20, linear: 20, output: 20, candidates: 56 },
  candidates: 3,
  lane: 10, // between the outer side of the frame and its blocks, for the residual connections
  pad: 4, // between the blocks and the inner side of the frame
  gutter: 15, // between the frames, for the memory
  tie: 6, // outside the decoder's frame, for the line between tied weights
  flank: 0,
  space: 6, // below and above the blocks of a frame
  head: 12, // above the blocks, for the layer's number
  step: 8, // a wire between two blocks
  entry: 7, // from the end of one sublayer to the start of the next residual connection
  fork: 8, // a wire that splits into value, key and query
  spread: 13, // between value, key and query
  stub: 16, // the wires into and out of a stack
  toggle: 17,
  hit: 16, // height of the part of the toggle that can be clicked
  badge: { side: 8, height: 12, room: 3, gap: 1, up: 10 }, // `up` is its middle, from the bottom of the box
  thumb: 18, // the side of an attention's picture in its box
  strip: 25, // the width of any other picture
  arrow: 3.5,
  corner: 4,
  radius: 4,
  sum: 7,
};

// Enlarge sizes for fingers: everything that can be tapped is at least 24 pixels high.
const forFingers = (sizes) => ({
  ...sizes,
  block: { ...mapValues(sizes.block, (height) => Math.max(24, height)), attention: 52 },
  ends: mapValues(sizes.ends, (height) => Math.max(24, height)),
  badge: { side: 12, height: 24, room: 12, gap: 2, up: 13 },
  toggle: 26,
  hit: 24,
  sum: 12,
});

const mapValues = (sizes, change) =>
  Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, change(size)]));

// A norm before each sublayer makes the stacks higher.
const MAP_SMALL_PRE_NORM = {
  ...MAP_SMALL,
  block: { ...MAP_SMALL.block, norm: 15, add: 15 },
  ends: {
    ...MAP_SMALL.ends,
    tokens: 28,
    final_norm: 15,
    transform: 18,
    linear: 18,
    output: 18,
    candidates: 54,
  },
  step: 6,
  entry: 6,
  fork: 7,
};

const MAP_LARGE = {
  large: true,
  label: 12,
  detail: 12,
  block: {
    embedding: 15,
    embedding_norm: 15,
    positions: 15,
    attention: 22,
    feed_forward: 15,
    add_norm: 14,
    norm: 14,
    add: 14,
  },
  ends: { tokens: 15, final_norm: 14, transform: 15, linear: 15, output: 15, candidates: 40 },
  candidates: 2,
  lane: 18,
  pad: 10,
  gutter: 56,
  tie: 18,
  flank: 1,
  space: 4,
  head: 12,
  step: 4.2,
  entry: 4,
  fork: 12,
  spread: 30,
  stub: 10,
  toggle: 15,
  hit: 15,
  badge: { side: 9, height: 14, room: 5, gap: 3, up: 11 },
  arrow: 3.5,
  corner: 6,
  radius: 4,
  sum: 8,
};

/** Return the sizes for a width, and the places of the two columns: `out` points from the middle outwards.
 * @param {import("./map_run").ShownMap} map
 * @param {number} shown the pixels that are available
 * @param {{scale?: number, touched?: boolean}} [options] `scale` of the whole drawing: the sizes are those before
 * it is enlarged; `touched` if fingers point
 */
export function mapSizes(map, shown, { scale = 1, touched = false } = {}) {
  const { size, ties, pre_norm: preNorm } = map;
  const room = shown / scale;
  const tied = ties.length > 0;
  const large = size === "large" && room >= MAP_ROOMY;
  const small = preNorm || map.parallel ? MAP_SMALL_PRE_NORM : MAP_SMALL;
  const own = large ? MAP_LARGE : small;
  const base = touched ? forFingers(own) : own;
  const width = Math.min(room, large ? MAP_LARGEST : 340);
  const tie = tied ? base.tie : 0;
  const all = { ...base, scale, width };
  if (mapStacks(map).length === 1) return oneColumn(all, tie, map.parallel);
  const inner = large ? Math.min(520, Math.max(390, width * 0.6)) : width - 2 - tie;
  const frame = Math.floor((inner - base.gutter) / 2);
  const block = frame - base.lane - base.pad;
  const left = large ? (width - 2 * frame - base.gutter) / 2 : 1;
  const flank = large ? left - tie - 18 : 0;
  const column = (out, x) => {
    const blockX = out < 0 ? x + base.lane : x + base.pad;
    return {
      out,
      x,
      right: x + frame,
      blockX,
      blockRight: blockX + block,
      centre: Math.round(blockX + block / 2),
      lane: out < 0 ? x + base.lane / 2 : x + frame - base.lane / 2,
      outer: out < 0 ? blockX : blockX + block, // side of the blocks to which residual connections return
      flank: out < 0 ? 0 : x + frame + tie + 18,
    };
  };
  return {
    ...all,
    flank,
    frame,
    blockWidth: block,
    bus: Math.round(left + frame + base.gutter / 2),
    tieX: left + 2 * frame + base.gutter + tie * 0.6,
    encoder: column(-1, left),
    decoder: column(1, left + frame + base.gutter),
  };
}

// Arrange one stack alone like the decoder: residual connections, ties and pictures on the right. On a large map, the
// text about a block is on the left.
function oneColumn(base, tie, isParallel) {
  const { large, width } = base;
  const most = isParallel ? 400 : 300;
  const begins = Math.round(width * 0.44);
  const frame = large
    ? Math.min(most, width - begins - tie - 2)
    : Math.min(width - 2 - tie, isParallel ? 320 : 230);
  const left = large ? begins : Math.round((width - frame - tie) / 2);
  const block = frame - base.lane - base.pad;
  const column = {
    out: 1,
    x: left,
    right: left + frame,
    blockX: left + base.pad,
    blockRight: left + base.pad + block,
    centre: Math.round(left + base.pad + block / 2),
    lane: left + frame - base.lane / 2,
    outer: left + base.pad + block,
    flank: left + frame + tie + 18,
  };
  return {
    ...base,
    flank: large ? width - column.flank : 0,
    frame,
    blockWidth: block,
    bus: 0,
    tieX: left + frame + tie * 0.6,
    encoder: column,
    decoder: column,
  };
}
