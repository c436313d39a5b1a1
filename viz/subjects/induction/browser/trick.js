// A text that repeats itself. In one head, the chosen row reads what followed earlier copies of its token, because an
// earlier head told each of those positions which token precedes it.

import { element, followWidth, pushButton } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { trickStory } from "./trick_words.js";

const LEAST = 30; // smallest weight, in thousandths, that is drawn as a line

/** @type {import("../../../pictures/browser/types").Setup} */
function trick(_loupe, { host, signal, save }) {
  const words = element("div", {
    class: "trick-tokens",
    role: "group",
    "aria-label": say("induction.text"),
  });
  const drawing = element("svg:svg", { class: "trick-lines", "aria-hidden": "true" });
  const story = element("ol", { class: "trick-story", "aria-live": "polite" });
  const board = element("div", { class: "trick-board" }, drawing, words);
  host.append(board, story);

  /** @type {import("./wire").WireTrick} */
  let data;
  let row = 0;
  let chips = [];
  let shown = "";

  const draw = () => {
    if (!data) return;
    const parts = partsOf(data, row);
    for (const [place, chip] of chips.entries()) markChip(chip, place, row, parts);
    drawLines(drawing, board, chips, row, parts);
    story.replaceChildren(
      ...trickStory(data, row, parts).map((text) => element("li", {}, ...text)),
    );
  };

  const choose = (place) => {
    row = place;
    draw();
  };

  followWidth(board, draw, signal);
  save({ name: say("induction.saved"), table: () => readersTable(data) });

  return (given) => {
    data = given;
    const text = JSON.stringify([given.run, given.tokens]);
    if (text !== shown) {
      shown = text;
      row = given.row;
    }
    chips = given.tokens.map((token, place) =>
      pushButton({ class: "trick-token", dir: "auto", onclick: () => choose(place) }, token),
    );
    words.replaceChildren(...chips);
    draw();
  };
}

// Return what the two heads read in a row: the place that the copying head reads most, and what precedes that place.
function partsOf(data, row) {
  const read = data.copier.weights[row];
  const most = read.indexOf(Math.max(...read));
  const isCopy = data.followers[row].includes(most);
  const before = data.before && most > 0 ? data.before.weights[most] : null;
  return { read, most, isCopy, before, chance: data.chances[row], next: data.likeliest[row] };
}

function markChip(chip, place, row, { most, isCopy }) {
  chip.setAttribute("aria-pressed", String(place === row));
  chip.classList.toggle("trick-later", place > row);
  chip.classList.toggle("trick-read", place === most && isCopy);
  chip.classList.toggle("trick-copy", place === most - 1 && isCopy);
}

function drawLines(drawing, board, chips, row, parts) {
  const frame = board.getBoundingClientRect();
  if (!frame.width) return;
  drawing.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
  /** @returns {[number, number]} */
  const at = (place, side) => {
    const box = chips[place].getBoundingClientRect();
    const y = side === "above" ? box.top : box.bottom;
    return [box.left + box.width / 2 - frame.left, y - frame.top];
  };
  // Within one row of words, a line stays on its side; between two rows, it runs through the gap between them.
  const arcBetween = (from, to, side) => {
    const rise = at(to, "above")[1] - at(from, "above")[1];
    if (Math.abs(rise) < 1) return arc(at(from, side), at(to, side), side, side);
    const [start, end] = rise < 0 ? ["above", "below"] : ["below", "above"];
    return arc(at(from, start), at(to, end), start, end);
  };
  const lines = (weights, from, side, kind) =>
    [...weights.entries()]
      .filter(([to, weight]) => weight >= LEAST && to !== from)
      .map(([to, weight]) =>
        element("svg:path", {
          class: kind,
          d: arcBetween(from, to, side),
          "stroke-width": (0.8 + (weight / 1000) * 4.2).toFixed(1),
          opacity: (0.25 + (weight / 1000) * 0.75).toFixed(2),
        }),
      );
  drawing.replaceChildren(
    ...lines(parts.read, row, "above", "trick-copier"),
    ...(parts.before && parts.isCopy
      ? lines(parts.before, parts.most, "below", "trick-before")
      : []),
  );
}

function arc([x1, y1], [x2, y2], start, end) {
  const bend = Math.min(30, 12 + Math.abs(x2 - x1) / 8);
  const beyond = (y, side) => (side === "above" ? y - bend : y + bend);
  return `M${x1} ${y1}C${x1} ${beyond(y1, start)} ${x2} ${beyond(y2, end)} ${x2} ${y2}`;
}

/** @param {import("./wire").WireTrick} data */
function readersTable({ tokens, copier, before }) {
  const rows = [copier, before].flatMap((reader) =>
    (reader?.weights ?? []).flatMap((row, query) =>
      row.map((value, key) => [reader.name, query, tokens[query], key, tokens[key], value / 1000]),
    ),
  );
  const place = { head: "text", query: "whole", "query token": "text", key: "whole" };
  return tableOf({ ...place, "key token": "text", "weight, to 0.001": "double" }, rows);
}

export const components = { trick };
