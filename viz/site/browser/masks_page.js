// Masks on the site: what each row may read, the weights under the masks, and the effects of switching a mask.

import { element } from "../../pictures/browser/elements.js";
import { components as panels } from "../../pictures/browser/panels.js";
import { typedNow } from "../../pictures/browser/run.js";
import { say, sayOf } from "../../pictures/browser/say.js";
import { maskPanels } from "../../subjects/masks/browser/mask_panels.js";
import { rowTable } from "../../subjects/masks/browser/mask_row.js";
import {
  axesOf,
  ownSwitches,
  padded,
  runUnder,
  SWITCHES,
  stepsOf,
  switched,
  tellingCell,
} from "../../subjects/masks/browser/mask_runs.js";
import { answerOf, resultsOf, rowSaid } from "../../subjects/masks/browser/mask_words.js";
import { createChoice, createSlider, fold, followSelection } from "./page_parts.js";

const MOST_PADDING = 4;
const USUAL_PADDING = 2;

/** Show the page.
 * @param {HTMLElement} place
 * @param {import("./pages").Site} site
 * @param {typeof import("./pages").put} put
 */
export function masksPage(place, { loupe, address, kept }, put) {
  const own = ownSwitches(kept.model.config);
  const state = { ...readSwitches(address, own), runs: null, isPlaced: false };
  const answer = element("p", { class: "loupe-answer", dir: "auto" });
  const results = element("div", { class: "masks-result", role: "status" });
  const head = createHead(loupe, kept, put);
  const run = () => {
    const typed = typedNow(loupe);
    state.runs = runsOf(kept.model, typed, state, own);
    const { target } = kept.tokenizers.naming(typed.read);
    const said = resultsOf(state.runs.own, state.runs.shown, target.token);
    results.replaceChildren(...said.map((text) => element("p", {}, text)));
    answer.textContent = answerOf(state.runs.own, state.runs.other, state.runs.telling);
  };
  const change = (name, value, usual) => {
    if (name === "padding") state.padding = value;
    else state.switches = { ...state.switches, [name]: value };
    address.put({ [name]: value === usual ? null : value });
    if (!typedNow(loupe)) return;
    run();
    if (name !== "padding") goWhereItShows(loupe, state.runs);
    head.draw(state.runs);
  };
  place.append(
    element("h1", {}, say("masks.question")),
    answer,
    element(
      "div",
      { class: "site-card site-masks st-key-card_masks" },
      element("div", { class: "site-masks-switches" }, ...switchesOf(state, own, change), results),
      head.node,
    ),
    head.row,
    element("p", { class: "masks-why" }, say("masks.why")),
  );
  followSelection(put, loupe, place, () => state.runs && head.draw(state.runs));
  return () => {
    run();
    if (!state.isPlaced && address.get("kind") === null) goWhereItShows(loupe, state.runs);
    state.isPlaced = true;
    head.draw(state.runs);
  };
}

function readSwitches(address, own) {
  const asked = Number(address.get("padding") ?? USUAL_PADDING);
  const isUsual = !Number.isInteger(asked) || asked < 0 || asked > MOST_PADDING;
  const said = new Map([
    ["true", true],
    ["false", false],
  ]);
  const read = (name) => said.get(address.get(name)) ?? own[name];
  const switches = /** @type {import("../../subjects/masks/browser/mask_runs").Switches} */ (
    Object.fromEntries(SWITCHES.map((name) => [name, read(name)]))
  );
  return { switches, padding: isUsual ? USUAL_PADDING : asked };
}

function switchesOf({ switches, padding }, own, change) {
  const box = (name) =>
    element(
      "label",
      { class: "site-check" },
      element("input", {
        type: "checkbox",
        name,
        checked: switches[name],
        onchange: ({ target }) => change(name, target.checked, own[name]),
      }),
      sayOf("masks.switch", name),
    );
  const slider = createSlider(
    (count) => say("masks.padding", { count }),
    (count) => change("padding", count, USUAL_PADDING),
  );
  slider.show(padding, MOST_PADDING);
  return [
    element("h2", { class: "loupe-heading" }, say("masks.in_force")),
    ...SWITCHES.map(box),
    slider.node,
  ];
}

// Run the sentence under the model's own masks, under the chosen ones, and with the causal mask switched.
function runsOf(model, answer, { switches, padding }, own) {
  const text = padded(model, answer, { id: model.config.pad_id, name: "<pad>" }, padding);
  const base = runUnder(model, text, own);
  const other = runUnder(model, text, { ...own, causal: !own.causal });
  const isOwn = !switched(own, switches).length;
  const shown = isOwn ? base : runUnder(model, text, switches);
  return {
    own: base,
    other,
    shown,
    after: isOwn ? other : shown,
    telling: tellingCell(base, other),
  };
}

function goWhereItShows(loupe, { own, after }) {
  const found = tellingCell(own, after);
  if (!found) return;
  const { kind, layer, head, row, key } = found;
  loupe.select({ kind, layer, head, query: row, key });
}

// Show one head: its choice, its mask and weights, what a switch changes in them, and the current row.
function createHead(loupe, kept, put) {
  const choices = {
    kind: createChoice(say("masks.kind"), (kind) => loupe.select({ kind })),
    layer: createChoice(say("masks.layer"), (layer) => loupe.select({ layer })),
    head: createChoice(say("masks.head"), (head) => loupe.select({ head })),
  };
  const query = createChoice(say("masks.row"), (row) => loupe.select({ query: row }));
  const [maps, said] = [element("div", { class: "st-key-masks_head" }), element("p", {})];
  const table = element("div", {
    class: "loupe-scroll",
    tabindex: "0",
    role: "region",
    "aria-label": say("masks.row_fold"),
  });
  const row = fold(say("masks.row_fold"), "masks_row", query.node, table);
  const bar = element(
    "div",
    { class: "site-choices" },
    ...Object.values(choices).map((c) => c.node),
  );
  let drawn = null; // the runs and the head that the maps show
  let latest = null;
  const drawRow = ({ shown }) => {
    const selection = loupe.selection;
    const { rows, realRows } = axesOf(shown.padded, selection.kind);
    const at = Math.min(selection.query, realRows - 1);
    const { mask_fill: fill } = kept.model.config;
    const steps = stepsOf(shown, { ...selection, row: at }, fill === "-inf" ? -Infinity : fill);
    said.textContent = rowSaid(rows[at], steps);
    const numbered = rows.slice(0, realRows).map((token, i) => [i, `${i} ${token}`]);
    query.show(/** @type {[number, string][]} */ (numbered), at);
    if (row.open) table.replaceChildren(rowTable(rows[at], steps));
  };
  const draw = (runs) => {
    const { kind, layer, head } = loupe.selection;
    const now = [runs, kind, layer, head];
    latest = runs;
    if (!drawn || now.some((part, i) => part !== drawn[i])) {
      drawn = now;
      showChoices(loupe, choices);
      put(loupe, maps, "panels", panels.panels, maskPanels(loupe, runs));
    }
    drawRow(runs);
  };
  row.addEventListener("toggle", () => latest && drawRow(latest));
  return { node: element("div", { class: "site-masks-maps" }, bar, maps, said), row, draw };
}

function showChoices(loupe, choices) {
  const { kind, layer, head } = loupe.selection;
  const { layers, heads } = loupe.stack();
  const kinds = Object.keys(loupe.run().kinds).map((one) => [one, sayOf("masks.kind_begun", one)]);
  const numbers = (count) => Array.from({ length: count }, (_, i) => [i, String(i)]);
  choices.kind.show(/** @type {any} */ (kinds), kind);
  choices.layer.show(/** @type {any} */ (numbers(layers)), layer);
  choices.head.show(/** @type {any} */ (numbers(heads)), head);
}
