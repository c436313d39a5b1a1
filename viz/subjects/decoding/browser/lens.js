// Logit lens: what each depth of the decoder would write at each step, shaded by the probability of the written token.

import { cssColour, wordsOn } from "../../../pictures/browser/colours.js";
import { element, pushButton } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";
import { createStudio, modeSaid, studioKeepInView, studioShare } from "./studio.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingLens(loupe, { host, signal, save }) {
  const studio = loupe.part(createStudio);
  let shown = null; // the table in view, of the path in `shown.path`
  const title = element("span", {}, say("decoding.lens"));
  const note = element("p", { class: "loupe-note" }, say("decoding.lens_said"));
  const words = { role: "region", tabindex: "0", "aria-label": say("decoding.lens_label") };
  const scroll = element("div", { class: "loupe-scroll", ...words });
  host.append(element("h2", { class: "loupe-heading" }, title), scroll, note);

  const paint = () => {
    shown.shade(studio.palette);
    shown.mark(studio.step);
    const [head] = shown.columns[studio.step] ?? [];
    if (head) studioKeepInView(scroll, head, shown.node.querySelector("th"));
  };
  studio.follow(signal, (what) => shown && what !== "shaping" && paint());
  /** @param {import("./wire").WireLens} data */
  let sent = null;
  save({
    name: say("decoding.saved_lens"),
    table: () => depthsTable(sent),
    said: () => modeSaid(studio),
  });
  return (data) => {
    sent = data;
    if (shown?.path !== data.path) {
      shown = lensTable(data, (step) => studio.go(step));
      scroll.replaceChildren(shown.node);
    }
    studio.look();
    paint();
  };
}

/** Create a table with steps across and depths upwards; `columns` are the cells of each step.
 * @param {import("./wire").WireLens} data
 */
function lensTable(data, go) {
  const columns = data.written.map((token, step) => [
    lensHead(token, step, go),
    ...data.names.map((_, depth) => lensCell(data, depth, step, go)),
  ]);
  const rows = data.names.map((_, depth) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, depthWords(depth)),
      ...columns.map((cells) => cells[depth + 1]),
    ),
  );
  const head = element(
    "tr",
    {},
    element("th", {}, say("decoding.lens_written")),
    ...columns.map(([cell]) => cell),
  );
  const body = element("tbody", {}, ...rows.reverse());
  let under = ""; // the colours in which it was painted last
  return {
    path: data.path,
    columns,
    node: element("table", { class: "studio-lens" }, element("thead", {}, head), body),
    shade(palette) {
      if (under === palette.under) return;
      under = palette.under;
      columns.forEach((cells, step) => {
        data.probabilities.forEach((row, depth) => {
          shadeCell(cells[depth + 1], row[step], palette);
        });
      });
    },
    mark(now) {
      columns.forEach((cells, step) => {
        for (const cell of cells) cell.classList.toggle("studio-at", step === now);
      });
    },
  };
}

function depthWords(depth) {
  return depth
    ? say("decoding.depth_layer", { layer: depth - 1 })
    : say("decoding.depth_embedding");
}

function shadeCell({ style }, probability, palette) {
  const ground = palette.scale[Math.round(probability * 200)];
  style.background = cssColour(ground);
  style.color = wordsOn(ground, palette);
}

function lensHead(token, step, go) {
  const onclick = () => go(step);
  const button = pushButton({ title: say("decoding.step", { step }), onclick }, token);
  return element("th", { scope: "col" }, button);
}

/** @param {import("./wire").WireLens} data */
function lensCell(data, depth, step, go) {
  const rank = data.ranks[depth][step];
  return element(
    "td",
    {
      onpointermove: (event) => tooltip.show(event, ...lensLines(data, depth, step)),
      onpointerleave: () => tooltip.hide(),
      onclick: () => go(step),
    },
    element("bdi", {}, data.tops[depth][step][0]),
    element("small", {}, rank > 1 ? say("decoding.rank", { rank }) : "✓"),
  );
}

/** Return the words about a cell under the pointer: its most probable tokens, and the token that was written.
 * @param {import("./wire").WireLens} data
 */
function lensLines(data, depth, step) {
  const token = data.written[step];
  const tops = data.tops[depth][step].map((top, i) => {
    const words = `${i + 1}  ${top}  ${studioShare(data.shares[depth][step][i])}`;
    return element("div", { class: top === token ? "studio-tip-written" : "" }, words);
  });
  const [rank, share] = [data.ranks[depth][step], studioShare(data.probabilities[depth][step])];
  const written = say("decoding.lens_end", { token, rank, share });
  const place = say("decoding.lens_place", { depth: depthWords(depth), step });
  return [element("b", {}, place), ...tops, written];
}

/** @param {import("./wire").WireLens} data */
function depthsTable({ names, written, tops, shares, ranks }) {
  const rows = names.flatMap((name, depth) =>
    written.map((token, step) => [
      name,
      step,
      token,
      tops[depth][step][0],
      shares[depth][step][0],
      ranks[depth][step],
    ]),
  );
  const place = { depth: "text", step: "whole", written: "text" };
  return tableOf({ ...place, "would write": "text", probability: "double", rank: "whole" }, rows);
}

export const components = { decoding_lens: decodingLens };
