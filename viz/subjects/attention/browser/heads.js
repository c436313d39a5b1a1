// All heads: a thumbnail for each, by layer and head. A click opens one.

import { isAsking } from "../../../pictures/browser/asked.js";
import { colours } from "../../../pictures/browser/colours.js";
import {
  choice,
  element,
  followWidth,
  pushButton,
  roomOf,
} from "../../../pictures/browser/elements.js";
import { term } from "../../../pictures/browser/glossary.js";
import { jobsBriefly } from "../../../pictures/browser/jobs.js";
import { keyboardInUse } from "../../../pictures/browser/keyboard.js";
import { createTyped } from "../../../pictures/browser/live/typed.js";
import { numberText } from "../../../pictures/browser/numbers.js";
import { axisTokens, layerNumber } from "../../../pictures/browser/run.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";
import { damageLegend, isOff, switchHere } from "./head_switches.js";
import { readingsOf, shareWords } from "./head_weights.js";
import { paintThumb } from "./thumbs.js";
import { weightsTable } from "./weights_table.js";

/** @type {import("../../../pictures/browser/wire").AttentionKind[]} */
const KINDS = ["encoder self-attention", "decoder self-attention", "cross-attention"];
const THUMB_GAP = 6;
const LABEL_ROOM = 30;
const LEAST_IN_A_ROW = 44; // smallest thumbnail, in pixels, for which all layers fit in one row

/** @type {import("../../../pictures/browser/types").Setup} */
function heads(loupe, { host, listen, signal, save }) {
  let drawn = ""; // the state that the thumbnails were drawn for
  /** @type {import("./wire").WireHeads} */
  let sent = { run: "", off: [], damage: {} };
  let switchHead = (_place) => {};
  const many = term("multi-head attention", say("attention.all_heads_term"));
  many.classList.add("loupe-note");
  const named = pushButton({ class: "head-switch-named", "data-unsaved": "" });
  named.addEventListener("click", () => switchHead(chosenHead(loupe)));

  const draw = () => {
    if (!loupe.run() || !loupe.selection) return;
    drawn = stateOf(loupe);
    host.replaceChildren(
      element(
        "div",
        { class: "heads-top" },
        element("h2", { class: "loupe-heading" }, say("attention.all_heads")),
        ...(isAsking(loupe) ? [] : [many, kindChoice(loupe), named]),
      ),
      grid(loupe, host),
      noteOn(loupe),
      isAsking(loupe) ? "" : damageLegend(loupe.selection.kind, sent),
    );
    show();
  };
  const show = () => {
    mark(loupe, host, sent);
    named.hidden = !!sent.fixed;
    const chosen = chosenHead(loupe);
    const layer = layerNumber(loupe.stack(), chosen.layer);
    const { head } = chosen;
    named.textContent = isOff(loupe, sent, chosen)
      ? say("attention.turn_on", { head })
      : say("attention.turn_off", { head });
    named.title = `${say("attention.head_at", { layer, head })} (x)`;
  };

  listen((what) => {
    if (what === "hover" || !loupe.run()) return;
    if (what === "run" || drawn !== stateOf(loupe)) draw();
    else show();
  });
  host.addEventListener("pointerenter", () => loupe.part(createTyped).prepareChange());
  followWidth(host, draw, signal);
  save({ name: say("attention.heads_saved"), table: () => weightsTable(loupe, "all") });
  followSwitches(loupe, host, (place) => sent.fixed || switchHead(place), signal);
  /** @param {import("./wire").WireHeads} data */
  return (data, trigger) => {
    sent = data;
    switchHead = (place) => {
      trigger("switch", place);
      switchHere(loupe, place);
    };
    draw();
  };
}

const SWITCH_KEY = "x";

// Switch a head by its button, or the head in view by a key.
function followSwitches(loupe, host, turn, signal) {
  host.addEventListener("click", (event) => {
    const button = event.target.closest(".loupe-head-switch");
    if (button) turn(placeOf(loupe, button));
  });
  loupe.root.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== SWITCH_KEY || event.repeat || keyboardInUse(event)) return;
      if (loupe.selection) turn(chosenHead(loupe));
    },
    { signal },
  );
}

const chosenHead = ({ selection: { kind, layer, head } }) => ({ kind, layer, head });

// Return the head to which a button belongs.
function placeOf({ selection: { kind } }, { dataset }) {
  return { kind, layer: Number(dataset.layer), head: Number(dataset.head) };
}

// Return the state for which the thumbnails remain valid.
function stateOf(loupe) {
  const { run, kind } = loupe.selection;
  return `${run} ${kind} ${isAsking(loupe)} ${Boolean(loupe.asked)}`;
}

/** @returns {[typeof KINDS[number], string]} */
const shortName = (kind) => [kind, sayOf("attention.short", kind)];

function kindChoice(loupe) {
  const { kinds } = loupe.run();
  const there = KINDS.filter((kind) => kind in kinds);
  if (there.length === 1) return null;
  const choose = (kind) => loupe.select({ kind });
  const named = there.map(shortName);
  return choice(say("attention.kind_label"), named, loupe.selection.kind, choose);
}

// Create a table of layers and heads, the lowest layer first; all in one row if there is room.
function grid(loupe, host) {
  const { width, thumb: large } = roomOf(host);
  const { layers, heads } = loupe.stack();
  const gap = heads > 8 ? 3 : THUMB_GAP;
  const fits = (side, across) => LABEL_ROOM * across + heads * across * (side + gap + 2) <= width;
  const across = fits(large || LEAST_IN_A_ROW, layers) ? layers : 1;
  const room = width - LABEL_ROOM * across - heads * across * (gap + 2);
  const most = large || (loupe.asked ? 128 : 64);
  const side = Math.max(14, Math.min(most, Math.floor(room / (heads * across))));
  const columns = Array.from(
    { length: across },
    () => `minmax(20px, max-content) repeat(${heads}, ${side + 2}px)`,
  );
  const style = `grid-template-columns: ${columns.join(" ")}; gap: ${gap}px`;
  const label = (text) => element("span", { class: "loupe-label" }, text);
  const all = Array.from({ length: heads }, (_, head) => head);
  const rows = Array.from({ length: layers }, (_, layer) => [
    label(`L${layerNumber(loupe.stack(), layer)}`),
    ...all.map((head) => {
      const picture = thumb(loupe, layer, head, side);
      if (large && !isAsking(loupe)) picture.append(jobUnder(loupe, layer, head));
      return picture;
    }),
  ]);
  const titles = [element("span"), ...all.map((head) => label(`H${head}`))];
  const above = Array.from({ length: across }, () => titles.map((title) => title.cloneNode(true)));
  return element("div", { class: "loupe-grid", style }, ...above.flat(), ...rows.flat());
}

// Return what a head mostly does, written under its thumbnail when a room of people is watching.
function jobUnder(loupe, layer, head) {
  const [does = ""] = jobsBriefly(loupe.run(), { kind: loupe.selection.kind, layer, head });
  return element("small", { class: "loupe-job" }, does);
}

function thumb(loupe, layer, head, side) {
  const { kind } = loupe.selection;
  const canvas = element("canvas", { "aria-hidden": "true" });
  const shown = { stack: loupe.stack(kind), tokens: axisTokens(loupe, kind).columns };
  paintThumb(canvas, shown, layer, head, side, colours());
  if (loupe.asked) outlineRow(canvas, loupe, kind, side);
  const toggle = pushButton({
    role: "switch",
    class: "loupe-head-switch",
    "data-layer": layer,
    "data-head": head,
  });
  const picture = pushButton(
    {
      class: "loupe-thumb",
      "data-layer": layer,
      "data-head": head,
      onclick: () => loupe.select({ kind, layer, head }),
      onpointermove: (event) =>
        tooltip.show(
          event,
          say("attention.head_at", { layer: layerNumber(loupe.stack(), layer), head }),
          ...factsOf(loupe, { kind, layer, head }),
        ),
      onpointerleave: () => tooltip.hide(),
    },
    canvas,
  );
  return element("span", { class: "loupe-thumb-place" }, picture, toggle);
}

// Outline the row that a question is about, if it asks for a head.
function outlineRow(canvas, { asked, stack }, kind, side) {
  const { rows, columns } = stack(kind);
  const cell = side / Math.max(rows, columns);
  const context = canvas.getContext("2d");
  context.strokeStyle = colours().accent;
  context.lineWidth = 2;
  context.strokeRect(1, asked.about.query * cell, columns * cell - 2, cell);
}

// Return what a head reads in the selected row, what its jobs are, and its measures.
function factsOf(loupe, place) {
  if (isAsking(loupe)) return []; // a question may ask for exactly this
  const { kind, layer, head } = place;
  const measured = Object.entries(loupe.run().metrics[kind] ?? {}).flatMap(([name, values]) => {
    const value = values[layer]?.[head];
    return value == null
      ? []
      : [say("attention.measured", { name: sayOf("metric.name", name), value })];
  });
  return [readingWords(loupe, place), ...jobsBriefly(loupe.run(), place), ...measured].filter(
    Boolean,
  );
}

// Describe what a head reads: "it reads animal, 84%".
function readingWords(loupe, place) {
  if (isAsking(loupe)) return "";
  const { kind, query } = loupe.selection;
  const most = loupe.stack(kind).whole && readingsOf(loupe, place, query)?.[0];
  if (!most) return "";
  const { rows, columns } = axisTokens(loupe, kind);
  const share = shareWords(most);
  return say("attention.reads_share", { reader: rows[query], read: columns[most.key], share });
}

// Explain how the thumbnails differ from the large map, if they do.
function noteOn(loupe) {
  const note = (text) => element("p", { class: "loupe-note" }, text);
  if (isAsking(loupe))
    return note(
      say("attention.columns", {
        tokens: axisTokens(loupe, loupe.selection.kind).columns.join(" "),
      }),
    );
  const { whole, drawn } = loupe.stack();
  if (whole) return "";
  return note(say("attention.reduced", { rows: drawn[0], columns: drawn[1] }));
}

// Say what switching a head off does, if that has been measured.
function offWords(damage) {
  if (damage === undefined) return say("attention.switch_off");
  return say("attention.switch_off_costs", { nats: numberText(damage) });
}

/** Mark the thumbnail of the head in view, and label each for people who do not see it.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {any} host
 * @param {import("./wire").WireHeads} sent
 */
function mark(loupe, host, sent) {
  const { selection } = loupe;
  const { damage, fixed } = sent;
  const stack = loupe.stack();
  for (const node of host.querySelectorAll(".loupe-thumb")) {
    const at = placeOf(loupe, node);
    const { layer, head } = at;
    const isAt = (place) => layer === place?.layer && head === place?.head;
    const isChosen = isAt(isAsking(loupe) ? loupe.asked.guess : selection);
    node.setAttribute("aria-pressed", String(isChosen));
    node.classList.toggle("loupe-guessed", isAt(loupe.asked?.guess));
    node.classList.toggle("loupe-true", isAt(loupe.asked?.truth));
    node.classList.toggle("loupe-out", Boolean(loupe.asked?.out.includes(`${layer}.${head}`)));
    const said = readingWords(loupe, at);
    const place = { kind: sayOf("kind", at.kind), layer: layerNumber(stack, layer), head };
    const label = said
      ? say("attention.head_of_reads", { ...place, reading: said })
      : say("attention.head_of", place);
    node.setAttribute("aria-label", label);
  }
  for (const node of host.querySelectorAll(".loupe-head-switch")) {
    node.hidden = !!fixed;
    const { kind, layer, head } = placeOf(loupe, node);
    const isOn = !isOff(loupe, sent, { kind, layer, head });
    const cost = damage[`${kind} ${layer} ${head}`];
    // A loss of 0.1 nats fills half of the bar, so that the first loss is visible and the largest has room.
    const share = cost > 0 ? cost / (cost + 0.1) : 0;
    node.style.setProperty("--damage", isOn ? share.toFixed(3) : "0");
    node.setAttribute("aria-checked", String(isOn));
    const place = { kind: sayOf("kind", kind), layer: layerNumber(stack, layer), head };
    node.setAttribute("aria-label", say("attention.head_of", place));
    node.title = isOn ? offWords(cost) : say("attention.switch_on");
    node.parentElement.classList.toggle("loupe-head-off", !isOn);
  }
}

export const components = { heads };
