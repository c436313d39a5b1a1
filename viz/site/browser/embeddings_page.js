// Embeddings on the site: the input of the first layer, the nearest words, and the sentence's words in a plane.

import { element, pushButton } from "../../pictures/browser/elements.js";
import { components as panels } from "../../pictures/browser/panels.js";
import { packPanels } from "../../pictures/browser/panels_data.js";
import { TYPED, typedNow } from "../../pictures/browser/run.js";
import { listed, say, sayOf } from "../../pictures/browser/say.js";
import { components as clouds } from "../../subjects/embeddings/browser/cloud.js";
import { neighbours, pca, rowsOf } from "../../subjects/embeddings/browser/geometry.js";
import {
  cosineText,
  components as nearest,
  replaceKept,
} from "../../subjects/embeddings/browser/nearest.js";
import { wordsOf, wordsOfText } from "../../subjects/embeddings/browser/vocabulary_words.js";
import { createChoice, fold } from "./page_parts.js";

/** @typedef {import("../../subjects/embeddings/browser/vocabulary_words").Known} Known */
/** @typedef {"source" | "target"} Side */

const NEAREST = 10;
const TOLD = 3; // neighbours that are named at the top
const BESIDE = 6; // neighbours of each word in the plane
const LEAST_DRAWN = 3;
const PARTS = /** @type {const} */ (["tokens", "positions", "output"]);

/** Show the page.
 * @param {HTMLElement} place
 * @param {import("./pages").Site} site
 * @param {typeof import("./pages").put} put
 */
export function embeddingsPage(place, { loupe, address, model, kept }, put) {
  const { words, looks } = model.embeddings;
  const sides = /** @type {Side[]} */ (Object.keys(words));
  const state = {
    side: sides.find((side) => side === address.get("embeddings_side")) ?? sides[0],
    known: /** @type {Partial<Record<Side, Known>>} */ ({}),
  };
  const answer = element("p", { class: "loupe-answer", dir: "auto" });
  const side = createChoice(say("embeddings.vocabulary"), (to) => {
    state.side = to;
    address.put({ embeddings_side: to });
    draw();
  });
  side.node.hidden = sides.length < 2;
  const near = createNearest(loupe, looks, put, (token) => {
    address.put({ [`embeddings_${state.side}_token`]: token });
    draw();
  });
  const sum = createSum(loupe, put);
  near.bar.append(side.node);
  place.append(element("h1", {}, say("embeddings.question")), answer, near.node, sum.node);
  const draw = () => {
    const typed = typedNow(loupe);
    if (!typed) return;
    state.known[state.side] ??= wordsOf(kept, state.side, words[state.side]);
    const known = state.known[state.side];
    const languages = loupe.run().languages;
    side.show(
      sides.map((each) => [each, languages[each === "source" ? 0 : 1]]),
      state.side,
    );
    const found = askedOf(known, typed, state.side, address.get(`embeddings_${state.side}_token`));
    const { names } = words[state.side];
    answer.textContent = answerOf(known, found, kept.model.config.d_model, names);
    near.draw(known, found);
    sum.draw(typed, state.side);
  };
  return draw;
}

// Return the requested word, or else the verb of the sentence with the nearest neighbour.
function askedOf(known, { tokens }, side, asked) {
  const text = side === "source" ? tokens.source : tokens.target.slice(0, -1);
  const ofText = wordsOfText(known, text);
  const chosen = known.places.get(asked) ?? ofText[0];
  const said = [...new Set(text.flatMap((token) => known.places.get(token) ?? []))];
  return { chosen, ofText, said, near: neighbours(known.scaled, chosen, NEAREST) };
}

function answerOf({ tokens }, { chosen, near }, count, names) {
  const areWords = names.includes("verb");
  const told = near
    .slice(0, TOLD)
    .map(({ at, cosine }) =>
      say("embeddings.near", { token: tokens[at], cosine: cosineText(cosine) }),
    );
  return [
    areWords ? say("embeddings.answer", { count }) : say("embeddings.answer_tokens", { count }),
    say("embeddings.nearest", { token: tokens[chosen], listed: listed(told) }),
  ].join(" ");
}

// Show the nearest words of one word, and the sentence's words with their nearest ones in a plane.
function createNearest(loupe, looks, put, choose) {
  const [bars, note] = [element("div", {}), element("p", { class: "loupe-note" })];
  const [cloud, few] = [element("div", {}), element("p", {}, say("embeddings.too_few"))];
  const bar = element("div", { class: "site-choices" });
  const chips = element("div", {
    class: "site-chips",
    role: "group",
    "aria-label": say("embeddings.word"),
  });
  const node = element(
    "div",
    { class: "site-card site-embeddings st-key-card_embeddings_nearest" },
    bar,
    chips,
    element("div", { class: "site-embeddings-two" }, bars, element("div", {}, cloud, few)),
    note,
  );
  const draw = (known, found) => {
    const { tokens } = known;
    replaceKept(
      chips,
      found.said.map((at) => chipOf(tokens[at], at === found.chosen, choose)),
    );
    const chosen =
      (words) =>
      (_event, { at }) =>
        choose(words[at]);
    const near = nearestOf(known, found, looks);
    put(loupe, bars, "nearest", nearest.nearest, near, chosen(near.words));
    note.textContent = say("embeddings.common", { cosine: cosineText(known.inCommon) });
    const drawn = planeOf(known, found, looks);
    few.hidden = drawn !== null;
    cloud.hidden = drawn === null;
    if (drawn) put(loupe, cloud, "cloud", clouds.cloud, drawn, chosen(drawn.words));
  };
  return { node, bar, draw };
}

const chipOf = (token, isChosen, choose) =>
  pushButton(
    { "aria-pressed": String(isChosen), onclick: () => choose(token) },
    element("bdi", {}, token),
  );

/** @returns {import("../../subjects/embeddings/browser/wire").WireNearest} */
const nearestOf = ({ tokens, groups }, { chosen, near }, looks) => ({
  of: tokens[chosen],
  words: near.map(({ at }) => tokens[at]),
  groups: near.map(({ at }) => groups[at]),
  cosines: near.map(({ cosine }) => cosine),
  looks,
});

/** @returns {import("../../subjects/embeddings/browser/wire").WireCloud | null} */
function planeOf({ scaled, tokens, groups }, { chosen, ofText }, looks) {
  const heads = [...new Set([chosen, ...ofText])];
  const near = heads.map((head) => neighbours(scaled, head, BESIDE).map(({ at }) => at));
  const drawn = [...new Set([...heads, ...near.flat()])];
  if (drawn.length < LEAST_DRAWN) return null;
  const place = new Map(drawn.map((at, i) => [at, i]));
  return {
    points: pca(rowsOf(scaled.data, scaled.size, drawn)),
    words: drawn.map((at) => tokens[at]),
    groups: drawn.map((at) => groups[at]),
    chosen: place.get(chosen),
    heads: heads.map((at) => place.get(at)),
    near: heads.flatMap((head, i) =>
      near[i].map((at) => /** @type {[number, number]} */ ([place.get(head), place.get(at)])),
    ),
    looks,
  };
}

// Show the rows that enter the first layer: the embeddings of the tokens, their positions, and the sums.
function createSum(loupe, put) {
  const maps = element("div", {});
  const note = element("p", { class: "loupe-note" }, say("embeddings.sum_note"));
  const node = fold(say("embeddings.sum_fold"), "embeddings_sum", note, maps);
  let latest = null;
  const draw = (typed, side) => {
    latest = [typed, side];
    if (node.open) put(loupe, maps, "panels", panels.panels, sumPanels(loupe, typed, side));
  };
  node.addEventListener("toggle", () => latest && draw(...latest));
  return { node, draw };
}

function sumPanels(loupe, { tokens }, side) {
  const { tensors } = loupe.traces.get(TYPED);
  const rowTokens = side === "source" ? tokens.source : tokens.target.slice(0, -1);
  return packPanels(
    PARTS.map((part) => {
      const name = `${side}_embedding.${part}`;
      const { rows, columns, data } = tensors[name];
      return {
        title: sayOf("embeddings.sum", part),
        code: name,
        values: data,
        rows,
        columns,
        scale: /** @type {const} */ ("signed"),
        group: "sum",
        axes: ["position", "dimension"],
        rowTokens,
        rowTitle: say("map.axis.position"),
        columnTitle: say("positions.dimension_axis"),
      };
    }),
    { width: 560, height: 260 },
  );
}
