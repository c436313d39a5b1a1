// The heads that changed most between two runs, and the head that is selected in both.

import { element, followWidth, pushButton } from "../../../pictures/browser/elements.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { CODE_ONE } from "../../../pictures/browser/weights.js";
import { createMaps } from "./maps.js";
import { headOf, pairNames } from "./paired.js";

const FIRST_SHOWN = 6;

/** @type {import("../../../pictures/browser/types").Setup} */
function compared(loupe, { host, listen, signal, save }) {
  let isWhole = false; // whether all heads are listed
  let data = null;
  const list = element("section", {
    class: "compare-list",
    "aria-label": say("compare.changed_most"),
  });
  const maps = createMaps(loupe);
  host.append(element("div", { class: "compare" }, maps.node, list));

  const draw = () => {
    if (!data || !host.clientWidth) return;
    drawList(list, loupe, data, isWhole, () => {
      isWhole = !isWhole;
      draw();
    });
    maps.draw(data);
  };
  listen((what) => {
    if (what === "hover") return;
    draw();
  });
  followWidth(host, draw, signal);
  save({
    name: say("compare.saved"),
    table: () => movedTable(data.kinds),
    said: () => ({ compared: data.runs.map((name) => loupe.runs.get(name)?.tokens) }),
  });
  return (given) => {
    data = given;
    draw();
  };
}

function drawList(list, loupe, data, isWhole, turn) {
  const runs = data.runs.map((name) => loupe.runs.get(name));
  if (runs.some((run) => !run)) return;
  const { heads } = data;
  const top = heads.filter((head, i) => isWhole || i < FIRST_SHOWN || isChosen(head, loupe));
  const focused = list.contains(document.activeElement) ? document.activeElement?.id : null;
  const more = pushButton(
    {
      class: "loupe-table-button",
      "aria-expanded": String(isWhole),
      onclick: turn,
    },
    isWhole ? say("compare.fewer") : say("compare.all_heads", { count: heads.length }),
  );
  list.replaceChildren(
    element("h2", { class: "loupe-heading" }, element("span", {}, say("compare.changed_most"))),
    ...(heads.length > FIRST_SHOWN ? [more] : []),
    element("ol", {}, ...top.map((head) => item(head, loupe, data, runs))),
  );
  if (focused) document.getElementById(focused)?.focus();
}

function item(head, loupe, data, runs) {
  const { kind, layer, head: number, place, moved } = head;
  const change = data.kinds[kind];
  const { both, difference: brief } = pairNames(change, runs, kind).rows;
  const share = percentText(Math.round(100 * moved) / 100);
  const values = { head: sayOf("compare.named", kind, { layer, head: number }), share };
  const title = data.matched
    ? say("compare.moved_all", values)
    : say("compare.moved", { ...values, word: both[place] });
  return element(
    "li",
    {},
    pushButton(
      {
        id: `compare-${kind.replaceAll(" ", "-")}-${layer}-${number}`,
        "aria-pressed": String(isChosen(head, loupe)),
        title,
        onclick: () => select(loupe, head, change, runs),
      },
      element("b", {}, sayOf("compare.short", kind, { layer, head: number })),
      element("span", { class: "compare-at" }, data.matched ? "" : brief[place]),
      element("span", { class: "compare-bar" }, element("i", { style: `width:${100 * moved}%` })),
      element("span", { class: "loupe-number" }, share),
    ),
  );
}

const isChosen = (head, { selection }) =>
  ["kind", "layer", "head"].every((name) => selection?.[name] === head[name]);

// Select a head, at the row that changed most and the token that this row reads most in A.
function select(loupe, { kind, layer, head, place }, change, runs) {
  const query = change.rows[place][0];
  const matrix = headOf(runs[0], kind, layer, head);
  const row = matrix && [
    ...matrix.codes.subarray(query * matrix.columns, (query + 1) * matrix.columns),
  ];
  const read = row?.map((code) => (code > CODE_ONE ? 0 : code));
  const key = read ? { key: read.indexOf(Math.max(...read)) } : {};
  loupe.select({ kind, layer, head, query, ...key });
}

// Return a table of how much weight of each row of each head has moved to other tokens in the other run.
function movedTable(kinds) {
  const rows = Object.entries(kinds).flatMap(([kind, { moved }]) =>
    moved.flatMap((heads, layer) =>
      heads.flatMap((each, head) => each.map((value, row) => [kind, layer, head, row, value])),
    ),
  );
  const place = { kind: "text", layer: "whole", head: "whole", row: "whole" };
  return tableOf({ ...place, "share that lies elsewhere": "double" }, rows);
}

export const components = { compared };
