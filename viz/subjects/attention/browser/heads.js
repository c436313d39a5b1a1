// All heads: a thumbnail for each, by layer and head or sorted by what they do. A click opens one.

import { colours, tooltip } from "../../../pictures/browser/canvas.js";
import { choice, element, followWidth } from "../../../pictures/browser/elements.js";
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

/** @type {import("../../../pictures/browser/types").Setup} */
function heads(loupe, { host, listen, signal }) {
  let drawn = ""; // the state that the thumbnails were drawn for

  const draw = () => {
    if (!loupe.run() || !loupe.selection) return;
    drawn = stateOf(loupe);
    const order = orderOf(loupe);
    const width = host.clientWidth;
    host.replaceChildren(
      kindChoice(loupe),
      orderField(loupe),
      order === "place" ? grid(loupe, width) : sorted(loupe, measuredIn(loupe)[order], width),
      element("p", { class: "loupe-note" }, noteOn(loupe)),
    );
    mark(loupe, host);
  };

  listen((what) => {
    if (what === "hover" || what === "exact" || !loupe.run()) return;
    if (what === "run" || drawn !== stateOf(loupe)) draw();
    else if (what === "measures") host.querySelector("select").replaceChildren(...orders(loupe));
    else mark(loupe, host);
  });
  followWidth(host, draw, signal);
  return draw;
}

// What has to be the same for the thumbnails to stay.
function stateOf(loupe) {
  const { selection, display } = loupe;
  return `${selection.run} ${selection.kind} ${display.combined} ${orderOf(loupe)}`;
}

// What there is measured of the heads in view, and the measure that they are sorted by.
function measuredIn(loupe) {
  const { combined } = loupe.display;
  return loupe.run().metrics[combined ? "cross-attention" : loupe.selection.kind] ?? {};
}
function orderOf(loupe) {
  const { order } = loupe.display;
  return measuredIn(loupe)[order] ? order : "place";
}

// What the thumbnails show: a kind of attention, or all three together.
const shownIn = ({ display, selection }) => (display.combined ? "combined" : selection.kind);

function kindChoice(loupe) {
  return choice("Kind of attention", KIND_WORDS, shownIn(loupe), (kind) => {
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

// A table of layers and heads, the lowest layer first.
function grid(loupe, width) {
  const { layers, heads } = sizesOf(loupe);
  const gap = heads > 8 ? 3 : THUMB_GAP;
  const room = width - LABEL_ROOM - heads * (gap + 2);
  const most = loupe.display.combined ? 150 : 96;
  const side = Math.max(14, Math.min(most, Math.floor(room / heads)));
  const style = `grid-template-columns: 20px repeat(${heads}, ${side + 2}px); gap: ${gap}px`;
  const label = (text) => element("span", { class: "loupe-label" }, text);
  const all = Array.from({ length: heads }, (_, head) => head);
  const rows = Array.from({ length: layers }, (_, layer) => [
    label(`L${layer}`),
    ...all.map((head) => thumb(loupe, layer, head, side)),
  ]);
  const titles = [element("span"), ...all.map((head) => label(`H${head}`))];
  return element("div", { class: "loupe-grid", style }, ...titles, ...rows.flat());
}

function sizesOf(loupe) {
  const { kinds } = loupe.run();
  const { layers: below } = kinds["encoder self-attention"];
  const { layers: above, heads } = kinds["cross-attention"];
  return { layers: loupe.display.combined ? Math.max(below, above) : loupe.stack().layers, heads };
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
  return element(
    "button",
    {
      type: "button",
      class: "loupe-thumb",
      "data-layer": layer,
      "data-head": head,
      "aria-label": `${shown}, layer ${layer}, head ${head}`,
      onclick: () => loupe.select({ kind, layer, head }),
      onpointermove: (event) =>
        tooltip.show(event, `layer ${layer}, head ${head}`, ...factsOf(loupe, kind, layer, head)),
      onpointerleave: () => tooltip.hide(),
    },
    canvas,
  );
}

function factsOf(loupe, kind, layer, head) {
  return Object.entries(loupe.run().metrics[kind] ?? {}).flatMap(([name, values]) => {
    const value = values[layer]?.[head];
    return value == null ? [] : [`${name} ${value.toFixed(2)}`];
  });
}

function noteOn(loupe) {
  if (loupe.display.combined)
    return (
      "Encoder and cross-attention above, decoder below: here columns are the tokens that read, rows the tokens " +
      "read, first those of the source, then those of the target."
    );
  const { whole, drawn } = loupe.stack();
  const reduced = whole
    ? ""
    : ` Reduced to ${drawn.join(" × ")}: each cell shows the largest weight of its part.`;
  return `Rows read columns, as in the large map; stronger colour is more weight, from 0 to 1.${reduced}`;
}

function mark({ selection }, host) {
  for (const node of host.querySelectorAll(".loupe-thumb")) {
    const { layer, head } = node.dataset;
    const isChosen = Number(layer) === selection.layer && Number(head) === selection.head;
    node.setAttribute("aria-pressed", String(isChosen));
  }
}

export const components = { heads };
