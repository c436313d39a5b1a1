// Two texts, one above the other, with a line between the tokens that are compared; a click on two makes a pair of them.

import { element, followWidth, pushButton } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function pairs(_loupe, { host, signal, save }) {
  const state = { data: null, picked: null, tell: (_name, _value) => {} };
  const lines = element("svg:svg", { class: "compare-lines", "aria-hidden": "true" });
  const rows = { a: element("ol"), b: element("ol") };
  const frame = element("div", { class: "compare-pairing" }, lines, rows.a, rows.b);
  host.append(frame);
  save({ name: say("compare.saved_pairs"), table: () => pairsTable(state.data) });

  const draw = () => {
    if (!state.data || !host.clientWidth) return;
    for (const side of ["a", "b"]) fill(rows[side], side, state, draw);
    drawLines(lines, frame, rows, state.data.pairs);
  };
  followWidth(host, draw, signal);
  return (data, trigger) => {
    if (data !== state.data) state.picked = null;
    state.data = data;
    state.tell = trigger;
    draw();
  };
}

function fill(row, side, state, again) {
  const { data, picked } = state;
  const place = side === "a" ? 0 : 1;
  const alone = new Set(data.pairs.filter((pair) => pair[1 - place] === null).map((p) => p[place]));
  const letter = element("li", { class: "compare-letter" }, side.toUpperCase());
  const tokens = data[side].map((token, at) =>
    element(
      "li",
      {},
      pushButton(
        {
          class: `loupe-chip${alone.has(at) ? " compare-alone" : ""}`,
          "aria-pressed": String(picked?.side === side && picked.at === at),
          title: alone.has(at) ? say("compare.token_alone", { token }) : token,
          onclick: () => pick(state, side, at, again),
        },
        token,
      ),
    ),
  );
  row.replaceChildren(letter, ...tokens);
}

// The first of two is remembered; the second, in the other text, makes the pair.
function pick(state, side, at, again) {
  const { picked, data } = state;
  if (!picked || picked.side === side) {
    const isSame = picked?.side === side && picked.at === at;
    state.picked = isSame ? null : { side, at };
    again();
    return;
  }
  const pair = { [picked.side]: picked.at, [side]: at };
  state.picked = null;
  state.tell("pair", { side: data.side, ...pair });
  again();
}

function drawLines(lines, frame, rows, pairs) {
  const box = frame.getBoundingClientRect();
  const chips = (row) =>
    [...row.querySelectorAll("button")].map((chip) => chip.getBoundingClientRect());
  const [above, below] = [chips(rows.a), chips(rows.b)];
  lines.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  const middle = ({ left, width }) => left - box.left + width / 2;
  lines.replaceChildren(
    ...pairs
      .filter(([i, j]) => i !== null && j !== null)
      .map(([i, j]) =>
        element("svg:line", {
          x1: middle(above[i]),
          y1: above[i].bottom - box.top,
          x2: middle(below[j]),
          y2: below[j].top - box.top,
        }),
      ),
  );
}

/** @param {import("./wire").WirePairs} data */
function pairsTable({ a, b, pairs: made }) {
  const rows = made.map(([left, right]) => [left ?? -1, a[left], right ?? -1, b[right]]);
  const kinds = { a: "whole", "token of a": "text", b: "whole", "token of b": "text" };
  return tableOf(kinds, rows);
}

export const components = { token_pairs: pairs };
