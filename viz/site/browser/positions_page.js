// Positions on the site: the numbers added at each position of the sentence, and the text written without them.

import { tableOf } from "../../alone/browser/page.js";
import { clamp, element } from "../../pictures/browser/elements.js";
import { numberText } from "../../pictures/browser/numbers.js";
import { components as panels } from "../../pictures/browser/panels.js";
import { packPanels } from "../../pictures/browser/panels_data.js";
import { TYPED, typedNow } from "../../pictures/browser/run.js";
import { say, sayOf } from "../../pictures/browser/say.js";
import {
  describe,
  dotProducts,
  encodingsOf,
  placeSaid,
  wavelengthOf,
  waveText,
  writtenWithout,
} from "../../subjects/positions/browser/encodings.js";
import { components as maps } from "../../subjects/positions/browser/position_map.js";
import { components as waves } from "../../subjects/positions/browser/waves.js";
import { createChoice, createSlider, fold } from "./page_parts.js";

/** @typedef {"source" | "target"} Side */

const WHERE = /** @type {const} */ (["both", "source", "target"]);
const SIDES = /** @type {Side[]} */ (["source", "target"]);
const ROWS = 64; // positions of the map, unless the text has more

/** Show the page.
 * @param {HTMLElement} place
 * @param {import("./pages").Site} site
 * @param {typeof import("./pages").put} put
 */
export function positionsPage(place, { loupe, address, kept }, put) {
  const { config } = kept.model;
  const answer = element("p", { class: "loupe-answer", dir: "auto" });
  const map = createMap({ loupe, address, kept }, put);
  const rerun = createRerun({ loupe, address, kept });
  place.append(element("h1", {}, say("positions.question")), answer);
  if (config.positions !== "none") place.append(map.node, rerun.node, map.alike);
  return () => {
    const typed = typedNow(loupe);
    if (config.positions === "none") {
      answer.textContent = say("positions.bag");
      return;
    }
    answer.textContent = answerOf(kept, typed);
    map.draw();
    rerun.draw();
  };
}

function answerOf(kept, typed) {
  const text = writtenWithout(kept, typed, "both");
  const without = text === typed.sentence ? "same" : text.trim() ? "text" : "nothing";
  const said = [say("positions.no_order"), say("positions.told.added")];
  return [...said, sayOf("positions.without", without)].join(" ");
}

// Show the encodings of the sentence's positions, some of their dimensions as waves, and their dot products.
function createMap({ loupe, address, kept }, put) {
  const { config } = kept.model;
  const state = readPlace(address, config);
  const parts = createMapParts(config, state, (changes) => change(changes));
  const drawn = { rows: null, products: null, from: null };
  const draw = () => {
    const found = loupe.traces.get(TYPED)?.tensors[`${state.side}_embedding.positions`];
    const typed = typedNow(loupe);
    if (!found || !typed) return;
    const { source, target } = typed.tokens;
    const tokens = state.side === "source" ? source : target.slice(0, -1);
    state.position = clamp(state.asked, found.rows);
    if (drawn.from !== found) {
      drawn.from = found;
      drawn.rows = encodingsOf(kept.model, state.side, Math.max(ROWS, found.rows));
      drawn.products = productPanels(found, tokens);
    }
    parts.show(found, tokens, drawn.products.values.getChild().toArray());
    const { position, dimension } = state;
    const choose = (_event, { position: at = position, dimension: i = dimension }) =>
      change({ position: Math.min(at, found.rows - 1), dimension: i });
    const map = mapOf(drawn.rows, tokens, { position, dimension });
    put(loupe, parts.encoding, "position_map", maps.position_map, map, choose);
    const drawnWaves = wavesOf(config, drawn.rows, tokens, { position, dimension });
    put(loupe, parts.wave, "waves", waves.waves, drawnWaves, choose);
    if (parts.alike.open)
      put(
        loupe,
        parts.products,
        "panels",
        panels.panels,
        { ...drawn.products, outlined: { position } },
        choose,
      );
  };
  const change = (changes) => {
    Object.assign(state, changes);
    if ("position" in changes) state.asked = changes.position;
    const side = config.positions === "learned" ? { positions_side: state.side } : {};
    address.put({ positions_pos: state.asked, positions_dim: state.dimension, ...side });
    draw();
  };
  parts.alike.addEventListener("toggle", draw);
  return { node: parts.node, alike: parts.alike, draw };
}

function createMapParts(config, state, change) {
  const [encoding, wave, products] = Array.from({ length: 3 }, () => element("div", {}));
  const [said, nearest] = [element("p", {}), element("p", {})];
  const side = createChoice(say("positions.side"), (to) => change({ side: to }));
  const slider = (name, key) =>
    createSlider(
      (at) => say("positions.at_value", { name: sayOf("positions.at", name), at }),
      (at) => change({ [key]: at }),
    );
  const [position, dimension] = [slider("pos", "position"), slider("dim", "dimension")];
  side.node.hidden = config.positions !== "learned"; // because a formula is the same for both texts
  side.show(
    SIDES.map((each) => [each, sayOf("positions.text_of", each)]),
    state.side,
  );
  const alike = fold(say("positions.alike_fold"), "positions_alike", nearest, products);
  const node = element(
    "div",
    { class: "site-card st-key-card_positions_map" },
    element("h2", { class: "loupe-heading" }, say("positions.all_numbers")),
    encoding,
    element("p", { class: "loupe-note" }, say("positions.map_note")),
    element("div", { class: "site-choices" }, side.node, position.node, dimension.node),
    said,
    wave,
    element("p", { class: "loupe-note" }, describe(config, config.max_length)),
  );
  const show = (found, tokens, likeness) => {
    position.show(state.position, found.rows - 1);
    dimension.show(state.dimension, config.d_model - 1);
    said.textContent = numberSaid(config, found, tokens, state);
    nearest.textContent = alikeSaid(likeness, tokens, state);
  };
  return { node, alike, encoding, wave, products, show };
}

function readPlace(address, config) {
  const number = (name, usual) =>
    /^\d{1,4}$/.test(address.get(name) ?? "") ? Number(address.get(name)) : usual;
  const dimension = clamp(number("positions_dim", Math.floor(config.d_model / 8)), config.d_model);
  const asked = number("positions_pos", 3);
  const side = /** @type {Side} */ (
    address.get("positions_side") === "target" ? "target" : "source"
  );
  return { asked, position: asked, dimension, side };
}

// Return the model's encodings, including those of the text, in the form in which Python sends them to the app.
function mapOf({ rows, columns, data }, words, picked) {
  const meta = { kind: "encoding", rows, columns, words, picked, chooses: true };
  return { meta, values: tableOf(data) };
}

function productPanels(encodings, tokens) {
  const { rows } = encodings;
  return packPanels(
    [
      {
        title: say("positions.products"),
        values: dotProducts(encodings),
        rows,
        columns: rows,
        scale: "signed",
        group: "products",
        axes: ["position", "other"],
        rowTokens: tokens,
        columnTokens: tokens,
        rowTitle: say("positions.position_axis"),
        columnTitle: say("positions.position_axis"),
      },
    ],
    { width: 460, height: 460, cell: 30, chooses: true },
  );
}

// Return some dimensions, from the fastest to the slowest, including the chosen one.
function wavesOf({ positions: kind, d_model: size }, { rows, data }, words, picked) {
  const usual = [0, 1, size / 8, size / 4, size / 2, size - 1, picked.dimension];
  const dimensions = [...new Set(usual.map(Math.floor))].sort((a, b) => a - b);
  const values = Array.from({ length: rows }, (_, row) =>
    dimensions.map((dimension) => data[row * size + dimension]),
  );
  const meta = { kind, size, rows, dimensions, words, picked };
  return { meta, values: tableOf(Float32Array.from(values.flat())) };
}

function numberSaid(config, { columns, data }, tokens, { position, dimension }) {
  const value = numberText(data[position * columns + dimension]);
  const said = say("positions.number_added", {
    dimension,
    position,
    token: tokens[position],
    value,
  });
  const wave = wavelengthOf(config, dimension);
  return wave === null ? said : `${said} ${say("positions.wave_round", { wave: waveText(wave) })}`;
}

// Describe the position whose encoding has the largest product with that of the chosen one.
function alikeSaid(products, tokens, { position }) {
  const row = products.subarray(position * tokens.length, (position + 1) * tokens.length);
  const others = [...row.keys()].filter((at) => at !== position);
  if (!others.length) return say("positions.alike_alone");
  const nearest = others.reduce((best, at) => (row[at] > row[best] ? at : best));
  const named = (at) => placeSaid(at, tokens);
  return say("positions.alike", {
    one: named(position),
    other: named(nearest),
    product: numberText(row[nearest]),
    own: numberText(row[position]),
  });
}

// Show the text that is written with positions, and without them.
function createRerun({ loupe, address, kept }) {
  const asked = address.get("positions_where");
  let where = WHERE.find((each) => each === asked) ?? WHERE[0];
  const list = element("dl", { class: "positions-written", role: "status" });
  const choice = createChoice(say("positions.where"), (to) => {
    where = to;
    address.put({ positions_where: to });
    draw();
  });
  choice.show(
    WHERE.map((each) => [each, sayOf("positions.where_of", each)]),
    where,
  );
  const draw = () => {
    const typed = typedNow(loupe);
    if (!typed) return;
    const had = new Set(typed.sentence.split(" "));
    const words = writtenWithout(kept, typed, where).split(" ").filter(Boolean);
    const marked = words.flatMap((word) => [had.has(word) ? word : element("mark", {}, word), " "]);
    list.replaceChildren(
      element("dt", {}, say("positions.as_it_is")),
      element("dd", { dir: "auto" }, typed.sentence || say("positions.no_words")),
      element("dt", {}, say("positions.writes.zeroed")),
      element("dd", { dir: "auto" }, ...(marked.length ? marked : [say("positions.no_words")])),
    );
  };
  const node = element(
    "div",
    { class: "site-card st-key-card_positions_reruns" },
    list,
    element("div", { class: "site-choices" }, choice.node),
  );
  return { node, draw };
}
