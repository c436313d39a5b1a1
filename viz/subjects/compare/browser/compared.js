// Which heads changed most between two runs, and the one that is selected in both.

import { choice, element, followWidth, pushButton } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say, sayOf, written } from "../../../pictures/browser/say.js";
import { CODE_ONE } from "../../../pictures/browser/weights.js";
import { createMaps } from "./maps.js";
import { headOf, listed, pairNames } from "./paired.js";

const FIRST_SHOWN = 6;

/** @type {import("../../../pictures/browser/types").Setup} */
function compared(loupe, { host, listen, signal, save }) {
  const shown = { order: "row", all: false };
  let data = null;
  let tell = (_name, _value) => {};
  const list = element("section", {
    class: "compare-list",
    "aria-label": say("compare.changed_most"),
  });
  const maps = createMaps(loupe);
  host.append(element("div", { class: "compare" }, list, maps.node));

  const sort = (asked) => {
    Object.assign(shown, asked);
    if (asked.order) tell("order", asked.order);
    draw();
  };
  const draw = () => {
    if (!data || !host.clientWidth) return;
    drawList(list, loupe, data, shown, sort);
    maps.draw(data);
  };
  listen((what) => {
    if (what === "hover" || what === "exact") return;
    draw();
  });
  followWidth(host, draw, signal);
  save({
    name: say("compare.saved"),
    table: () => divergenceTable(data.kinds),
    said: () => ({ compared: data.runs.map((name) => loupe.runs.get(name)?.tokens) }),
  });
  return (given, trigger) => {
    tell = trigger;
    data = given;
    shown.order = data.order;
    draw();
  };
}

function drawList(list, loupe, data, shown, again) {
  const runs = data.runs.map((name) => loupe.runs.get(name));
  if (runs.some((run) => !run)) return;
  const heads = listed(data.kinds, shown.order);
  const top = shown.all ? heads : heads.slice(0, FIRST_SHOWN);
  const focused = list.contains(document.activeElement) ? document.activeElement?.id : null;
  const orders = choice(
    say("compare.sort"),
    [
      ["row", say("compare.sort_row")],
      ["mean", say("compare.sort_mean")],
      ["place", say("compare.sort_place")],
    ],
    shown.order,
    (order) => again({ order }),
  );
  const more = pushButton(
    {
      class: "loupe-table-button",
      "aria-expanded": String(shown.all),
      onclick: () => again({ all: !shown.all }),
    },
    shown.all ? say("compare.fewer") : say("compare.all_heads", { count: heads.length }),
  );
  list.replaceChildren(
    element("h2", { class: "loupe-heading" }, element("span", {}, say("compare.changed_most"))),
    orders,
    element("p", { class: "loupe-note" }, say("compare.divergence")),
    ...(heads.length > FIRST_SHOWN ? [more] : []),
    element("ol", {}, ...top.map((head) => item(head, loupe, data, runs, shown.order))),
  );
  if (focused) document.getElementById(focused)?.focus();
}

function item(head, loupe, data, runs, order) {
  const { kind, layer, head: number, place } = head;
  const change = data.kinds[kind];
  const { both, difference: brief } = pairNames(change, runs, kind).rows;
  const value = order === "mean" ? head.mean : head.bits;
  const { selection } = loupe;
  const isChosen = ["kind", "layer", "head"].every((name) => selection?.[name] === head[name]);
  const moved = 100 * (change.moved[layer][number][place] ?? 0);
  const named = { layer, head: number };
  return element(
    "li",
    {},
    pushButton(
      {
        id: `compare-${kind.replaceAll(" ", "-")}-${layer}-${number}`,
        "aria-pressed": String(isChosen),
        title: say("compare.moved", {
          head: sayOf("compare.named", kind, named),
          word: both[place],
          percent: moved,
        }),
        onclick: () => select(loupe, head, change, runs),
      },
      element("b", {}, sayOf("compare.short", kind, named)),
      element("span", { class: "compare-at" }, order === "mean" ? "" : brief[place]),
      element("span", { class: "compare-bar" }, element("i", { style: `width:${100 * value}%` })),
      element("span", { class: "loupe-number" }, written(value.toFixed(2).replace(/^0/, ""))),
    ),
  );
}

// The head, at the row that moved most and the token of it that A reads most.
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

// How far each row of each head is apart in the two runs.
function divergenceTable(kinds) {
  const rows = Object.entries(kinds).flatMap(([kind, { bits }]) =>
    bits.flatMap((heads, layer) =>
      heads.flatMap((each, head) => each.map((value, row) => [kind, layer, head, row, value])),
    ),
  );
  const place = { kind: "text", layer: "whole", head: "whole", row: "whole" };
  return tableOf({ ...place, "divergence, bits": "double" }, rows);
}

export const components = { compared };
