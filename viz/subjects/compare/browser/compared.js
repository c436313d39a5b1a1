// Which heads changed most between two runs, and the one that is selected in both.

import { choice, element, followWidth } from "../../../pictures/browser/elements.js";
import { CODE_ONE } from "../../../pictures/browser/weights.js";
import { createMaps } from "./maps.js";
import { headOf, listed, pairNames } from "./paired.js";

const FIRST_SHOWN = 6;
const STACKS = {
  "encoder self-attention": "Encoder",
  "decoder self-attention": "Decoder",
  "cross-attention": "Cross",
};

/** @type {import("../../../pictures/browser/types").Setup} */
function compared(loupe, { host, listen, signal }) {
  const shown = { order: "row", view: "beside", all: false };
  let data = null;
  let tell = (_name, _value) => {};
  const keep = (name, value) => {
    shown[name] = value;
    tell(name, value);
  };
  const list = element("section", {
    class: "compare-list",
    "aria-label": "Which heads changed most",
  });
  const maps = createMaps(loupe, shown, keep);
  host.append(element("div", { class: "compare" }, list, maps.node));

  const draw = () => {
    if (!data || !host.clientWidth) return;
    drawList(list, loupe, data, shown, keep, draw);
    maps.draw(data);
  };
  listen((what) => {
    if (what === "hover" || what === "exact") return;
    draw();
  });
  followWidth(host, draw, signal);
  return (given, trigger) => {
    tell = trigger;
    data = given;
    Object.assign(shown, { order: data.order, view: data.view });
    draw();
  };
}

function drawList(list, loupe, data, shown, keep, again) {
  const runs = data.runs.map((name) => loupe.runs.get(name));
  if (runs.some((run) => !run)) return;
  const heads = listed(data.kinds, shown.order);
  const top = shown.all ? heads : heads.slice(0, FIRST_SHOWN);
  const focused = list.contains(document.activeElement) ? document.activeElement?.id : null;
  const orders = choice(
    "Sort by",
    [
      ["row", "One row"],
      ["mean", "All rows"],
      ["place", "Place"],
    ],
    shown.order,
    (order) => {
      keep("order", order);
      again();
    },
  );
  const more = element(
    "button",
    {
      type: "button",
      class: "loupe-table-button",
      "aria-expanded": String(shown.all),
      onclick: () => {
        shown.all = !shown.all;
        again();
      },
    },
    shown.all ? "Fewer" : `All ${heads.length} heads`,
  );
  list.replaceChildren(
    element("h2", { class: "loupe-heading" }, element("span", {}, "Which heads changed most")),
    orders,
    element("p", { class: "loupe-note" }, NOTE),
    ...(heads.length > FIRST_SHOWN ? [more] : []),
    element("ol", {}, ...top.map((head) => item(head, loupe, data, runs, shown.order))),
  );
  if (focused) document.getElementById(focused)?.focus();
}

const NOTE =
  "Jensen-Shannon divergence in bits: 0 where both read alike, 1 where they share nothing.";

function item(head, loupe, data, runs, order) {
  const { kind, layer, head: number, place } = head;
  const change = data.kinds[kind];
  const { both, difference: brief } = pairNames(change, runs, kind).rows;
  const value = order === "mean" ? head.mean : head.bits;
  const { selection } = loupe;
  const isChosen = ["kind", "layer", "head"].every((name) => selection?.[name] === head[name]);
  const moved = Math.round(100 * (change.moved[layer][number][place] ?? 0));
  const name = `${STACKS[kind]} L${layer} H${number}`;
  return element(
    "li",
    {},
    element(
      "button",
      {
        type: "button",
        id: `compare-${kind.replaceAll(" ", "-")}-${layer}-${number}`,
        "aria-pressed": String(isChosen),
        title: `${kind}, layer ${layer}, head ${number}: at ${both[place]}, ${moved} % of the weight lies elsewhere`,
        onclick: () => select(loupe, head, change, runs),
      },
      element("b", {}, name),
      element("span", { class: "compare-at" }, order === "mean" ? "" : brief[place]),
      element("span", { class: "compare-bar" }, element("i", { style: `width:${100 * value}%` })),
      element("span", { class: "loupe-number" }, value.toFixed(2).replace(/^0/, "")),
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

export const components = { compared };
