// All heads: a thumbnail for each, by layer and head or sorted by what they do. A click opens one.

import { colours, tooltip } from "../../../pictures/browser/canvas.js";
import { choice, element, followWidth } from "../../../pictures/browser/elements.js";
import { keyboardInUse } from "../../../pictures/browser/keyboard.js";
import { numberText } from "../../../pictures/browser/numbers.js";
import { axisTokens } from "../../../pictures/browser/run.js";
import { roleWords } from "./head_roles.js";
import { readingsOf, shareWords } from "./head_weights.js";
import { paintCombined, paintThumb } from "./thumbs.js";

/** @type {[import("../../../pictures/browser/wire").Kind | "combined", string][]} */
const KIND_WORDS = [
  ["encoder self-attention", "Encoder"],
  ["decoder self-attention", "Decoder"],
  ["cross-attention", "Cross"],
  ["combined", "All three"],
];
const THUMB_GAP = 6;
const LABEL_ROOM = 30;
const LEAST_IN_A_ROW = 44; // pixels of a thumbnail when the layers stand beside each other

/** @type {import("../../../pictures/browser/types").Setup} */
function heads(loupe, { host, listen, signal }) {
  let drawn = ""; // the state that the thumbnails were drawn for
  /** @type {import("./wire").WireHeads} */
  let sent = { run: "", off: [], damage: {} };
  let switchHead = (_place) => {};
  const named = element("button", { type: "button", class: "head-switch-named" });
  named.addEventListener("click", () => switchHead(chosenHead(loupe)));

  const draw = () => {
    if (!loupe.run() || !loupe.selection) return;
    drawn = stateOf(loupe);
    const order = orderOf(loupe);
    const width = host.clientWidth;
    host.replaceChildren(
      element(
        "div",
        { class: "heads-top" },
        element("h2", { class: "loupe-heading" }, "All heads"),
        kindChoice(loupe),
        orderField(loupe),
        named,
      ),
      order === "place" ? grid(loupe, width) : sorted(loupe, measuredIn(loupe)[order], width),
      noteOn(loupe),
    );
    show();
  };
  const show = () => {
    mark(loupe, host, sent);
    const { kind, layer, head } = chosenHead(loupe);
    const isOff = sent.off.includes(`${kind} ${layer} ${head}`);
    named.textContent = isOff ? `H${head} on again` : `Switch off H${head}`;
    named.title = `Layer ${layer}, head ${head} (x)`;
  };

  listen((what) => {
    if (what === "hover" || what === "exact" || !loupe.run()) return;
    if (what === "run" || drawn !== stateOf(loupe)) draw();
    else if (what === "measures") host.querySelector("select").replaceChildren(...orders(loupe));
    else show();
  });
  followWidth(host, draw, signal);
  host.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest(".loupe-head-switch");
    if (button instanceof HTMLElement) switchHead(placeOf(loupe, button));
  });
  loupe.root.addEventListener(
    "keydown",
    (event) => {
      const key = /** @type {KeyboardEvent} */ (event);
      if (key.key !== SWITCH_KEY || key.repeat || keyboardInUse(key) || !loupe.selection) return;
      switchHead(chosenHead(loupe));
    },
    { signal },
  );
  /** @param {import("./wire").WireHeads} data */
  return (data, trigger) => {
    sent = data;
    switchHead = (place) => trigger("switch", place);
    draw();
  };
}

const SWITCH_KEY = "x";

const chosenHead = ({ selection: { kind, layer, head } }) => ({ kind, layer, head });

// The head that a button is about; where all three kinds are shown together, that of cross-attention.
function placeOf(loupe, button) {
  const shown = shownIn(loupe);
  const kind = shown === "combined" ? "cross-attention" : shown;
  return { kind, layer: Number(button.dataset.layer), head: Number(button.dataset.head) };
}

// What has to be the same for the thumbnails to stay.
function stateOf(loupe) {
  const { selection, display } = loupe;
  return `${selection.run} ${selection.kind} ${display.combined} ${orderOf(loupe)}`;
}

// What there is measured of the heads in view, and the measure that they are sorted by.
function measuredIn(loupe) {
  return loupe.run().metrics[isCombined(loupe) ? "cross-attention" : loupe.selection.kind] ?? {};
}
function orderOf(loupe) {
  const { order } = loupe.display;
  return measuredIn(loupe)[order] ? order : "place";
}

// What the thumbnails show: a kind of attention, or all three together.
const shownIn = (loupe) => (isCombined(loupe) ? "combined" : loupe.selection.kind);

// All three together are of a model that has them all.
const isWhole = (loupe) => Object.keys(loupe.run().kinds).length === 3;
const isCombined = (loupe) => loupe.display.combined && isWhole(loupe);

function kindChoice(loupe) {
  const { kinds } = loupe.run();
  const there = KIND_WORDS.filter(
    ([kind]) => kind in kinds || (kind === "combined" && isWhole(loupe)),
  );
  if (there.length === 1) return null;
  return choice("Kind of attention", there, shownIn(loupe), (kind) => {
    loupe.adjust({ combined: kind === "combined" });
    if (kind !== "combined") loupe.select({ kind });
  });
}

function orderField(loupe) {
  const onchange = (event) => loupe.adjust({ order: event.target.value });
  return element(
    "label",
    { class: "loupe-field" },
    "Sort by ",
    element("select", { onchange }, ...orders(loupe)),
  );
}

function orders(loupe) {
  const names = Object.keys(measuredIn(loupe)).map((name) => [name, name]);
  return [["place", "layer and head"], ...names].map(([value, words]) =>
    element("option", { value, selected: value === orderOf(loupe) }, words),
  );
}

// A table of layers and heads, the lowest layer first; all in one row where there is room.
function grid(loupe, width) {
  const { layers, heads } = sizesOf(loupe);
  const gap = heads > 8 ? 3 : THUMB_GAP;
  const fits = (side, across) => LABEL_ROOM * across + heads * across * (side + gap + 2) <= width;
  const across = fits(LEAST_IN_A_ROW, layers) ? layers : 1;
  const room = width - LABEL_ROOM * across - heads * across * (gap + 2);
  const most = isCombined(loupe) ? 150 : 64;
  const side = Math.max(14, Math.min(most, Math.floor(room / (heads * across))));
  const columns = Array.from({ length: across }, () => `20px repeat(${heads}, ${side + 2}px)`);
  const style = `grid-template-columns: ${columns.join(" ")}; gap: ${gap}px`;
  const label = (text) => element("span", { class: "loupe-label" }, text);
  const all = Array.from({ length: heads }, (_, head) => head);
  const rows = Array.from({ length: layers }, (_, layer) => [
    label(`L${layer}`),
    ...all.map((head) => thumb(loupe, layer, head, side)),
  ]);
  const titles = [element("span"), ...all.map((head) => label(`H${head}`))];
  const above = Array.from({ length: across }, () => titles.map((title) => title.cloneNode(true)));
  return element("div", { class: "loupe-grid", style }, ...above.flat(), ...rows.flat());
}

function sizesOf(loupe) {
  if (!isCombined(loupe)) return loupe.stack();
  const { kinds } = loupe.run();
  const { layers: below } = kinds["encoder self-attention"];
  const { layers: above, heads } = kinds["cross-attention"];
  return { layers: Math.max(below, above), heads };
}

// All heads one after the other, those with the largest value first.
function sorted(loupe, values, width) {
  const heads = values.flatMap((row, layer) => row.map((value, head) => ({ layer, head, value })));
  heads.sort((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity));
  const side = Math.max(40, Math.min(96, Math.floor(width / 4) - THUMB_GAP - 2));
  const figures = heads.map(({ layer, head, value }) => {
    const text = element("b", {}, value === null ? "–" : value.toFixed(2));
    const caption = element("figcaption", {}, `L${layer} H${head} `, text);
    return element("figure", {}, thumb(loupe, layer, head, side), caption);
  });
  return element("div", { class: "loupe-flow" }, ...figures);
}

function thumb(loupe, layer, head, side) {
  const shown = shownIn(loupe);
  const kind = shown === "combined" ? "cross-attention" : shown;
  const canvas = element("canvas", { "aria-hidden": "true" });
  if (shown === "combined") paintCombined(canvas, loupe.run(), layer, head, side, colours());
  else paintThumb(canvas, loupe.stack(kind), layer, head, side, colours());
  const toggle = element("button", {
    type: "button",
    role: "switch",
    class: "loupe-head-switch",
    "data-layer": layer,
    "data-head": head,
  });
  const picture = element(
    "button",
    {
      type: "button",
      class: "loupe-thumb",
      "data-layer": layer,
      "data-head": head,
      onclick: () => loupe.select({ kind, layer, head }),
      onpointermove: (event) =>
        tooltip.show(
          event,
          `layer ${layer}, head ${head}`,
          ...factsOf(loupe, { kind, layer, head }),
        ),
      onpointerleave: () => tooltip.hide(),
    },
    canvas,
  );
  return element("span", { class: "loupe-thumb-place" }, picture, toggle);
}

// What a head reads in the selected row, what its job is, and its measures.
function factsOf(loupe, place) {
  const { kind, layer, head } = place;
  const measured = Object.entries(loupe.run().metrics[kind] ?? {}).flatMap(([name, values]) => {
    const value = values[layer]?.[head];
    return value == null ? [] : [`${name} ${value.toFixed(2)}`];
  });
  return [readingWords(loupe, place), roleWords(loupe.run(), place), ...measured].filter(Boolean);
}

// "it reads animal, 84 %", where the head is of the kind in view.
function readingWords(loupe, place) {
  const { kind, query } = loupe.selection;
  const most =
    place.kind === kind && loupe.stack(kind).whole && readingsOf(loupe, place, query)?.[0];
  if (!most) return "";
  const { rows, columns } = axisTokens(loupe, kind);
  return `${rows[query]} reads ${columns[most.key]}, ${shareWords(most)}`;
}

// What has to be known to read the thumbnails, where that is not as in the large map.
function noteOn(loupe) {
  const note = (text) => element("p", { class: "loupe-note" }, text);
  if (isCombined(loupe))
    return note(
      "Encoder and cross-attention above, decoder below: here columns are the tokens that read, rows the tokens " +
        "read, first those of the source, then those of the target.",
    );
  const { whole, drawn } = loupe.stack();
  if (whole) return "";
  return note(`Reduced to ${drawn.join(" × ")}: each cell shows the largest weight of its part.`);
}

// Which thumbnail is of the head in view, and what each says to those who do not see it.
function damageWords(damage) {
  if (damage === undefined) return "";
  const nats = numberText(Math.abs(damage));
  return `. Without it a token costs ${nats} nats ${damage < 0 ? "less" : "more"}`;
}

function mark(loupe, host, { off, damage }) {
  const { selection } = loupe;
  const shown = shownIn(loupe);
  for (const node of host.querySelectorAll(".loupe-thumb")) {
    const [layer, head] = [Number(node.dataset.layer), Number(node.dataset.head)];
    const isChosen = layer === selection.layer && head === selection.head;
    node.setAttribute("aria-pressed", String(isChosen));
    const said = readingWords(loupe, { kind: shown, layer, head });
    const name = `${shown}, layer ${layer}, head ${head}`;
    node.setAttribute("aria-label", said ? `${name}: ${said}` : name);
  }
  for (const node of host.querySelectorAll(".loupe-head-switch")) {
    const { kind, layer, head } = placeOf(loupe, node);
    const name = `${kind} ${layer} ${head}`;
    const isOn = !off.includes(name);
    const cost = damage[name];
    // A tenth of a nat is half of the bar: the first loss shows, and the largest has room.
    const share = cost > 0 ? cost / (cost + 0.1) : 0;
    node.style.setProperty("--damage", isOn ? share.toFixed(3) : "0");
    node.setAttribute("aria-checked", String(isOn));
    node.setAttribute("aria-label", `${kind}, layer ${layer}, head ${head}`);
    node.title = isOn ? `Switch this head off (x)${damageWords(cost)}` : "Switch it on again (x)";
    node.parentElement.classList.toggle("loupe-head-off", !isOn);
  }
}

export const components = { heads };
