// Every head and sublayer of the model with the damage of its ablation. The chosen one shows what is written then.

import { colours, cssColour, wordsOn } from "../../../pictures/browser/colours.js";
import { element, pushButton } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { byDamage, tileText } from "./cut_words.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function mattered(loupe, { host, listen, save }) {
  const state = { data: null, trigger: null, chosen: 0, head: "" };
  const map = element("div", { class: "mattered-map" });
  const card = element("div", { class: "mattered-card", role: "status" });
  const list = element("ol", { class: "mattered-list" });
  host.append(map, element("div", { class: "mattered-beside" }, card, list));

  save({ name: say("mattered.saved_cuts"), table: () => cutsTable(state.data.cuts) });
  const choose = (index) => {
    state.chosen = index;
    mark();
    const { kind, layer, head } = state.data.cuts[index];
    if (head !== null && headOf({ kind, layer, head }) !== headOf(loupe.selection))
      loupe.select({ kind, layer, head });
    else state.trigger("choose", index);
  };
  const mark = () => {
    card.replaceChildren(...cardOf(state));
    for (const node of /** @type {NodeListOf<HTMLElement>} */ (host.querySelectorAll("[data-cut]")))
      node.setAttribute("aria-pressed", String(Number(node.dataset.cut) === state.chosen));
  };
  const draw = () => {
    if (!state.data) return;
    const { cuts } = state.data;
    map.style.setProperty("--heads", String(headsOf(cuts)));
    map.replaceChildren(...mapOf(cuts, choose));
    list.replaceChildren(...byDamage(cuts).map((index) => lineOf(cuts, index, choose)));
    mark();
  };
  const follow = () => {
    const head = headOf(loupe.selection);
    const moved = state.head !== "" && head !== state.head;
    state.head = head;
    const index = state.data?.cuts.findIndex((cut) => cut.head !== null && headOf(cut) === head);
    if (!moved || index === undefined || index < 0 || index === state.chosen) return;
    state.chosen = index;
    mark();
  };

  listen((what) => {
    if (what === "run" || what === "selection") follow(); // another run may have another head selected
    if (what === "run") draw(); // the colours may have changed
  });
  return (data, trigger) => {
    state.trigger = trigger;
    if (data === state.data) return;
    const { of, cuts, chosen } = state.data ?? {};
    if (of !== data.of || cuts.length !== data.cuts.length || chosen !== data.chosen)
      state.chosen = data.chosen;
    state.data = data;
    follow();
    draw();
  };
}

const headOf = (place) => (place ? `${place.kind} ${place.layer} ${place.head}` : "");

const headsOf = (cuts) => Math.max(0, ...cuts.map(({ head }) => (head ?? -1) + 1));

// Create the map: the layers in order, one line per sublayer with the whole sublayer first and then its heads.
function mapOf(cuts, choose) {
  const heads = headsOf(cuts);
  const nodes = [];
  let stack = "";
  const tiles = cuts.map((cut, index) => tileOf(cut, () => choose(index), index));
  for (const [index, cut] of cuts.entries()) {
    if (cut.stack !== stack) {
      nodes.push(headingOf(cut.stack, heads));
      stack = cut.stack;
    }
    if (cut.head !== null) continue;
    const own = cuts
      .map((other, at) => ({ other, at }))
      .filter(({ other }) => isOf(other, cut) && other.head !== null);
    nodes.push(
      element(
        "div",
        { class: "mattered-row" },
        element("span", { class: "mattered-name" }, `${cut.layer} · ${cut.sublayer}`),
        tiles[index],
        ...own.map(({ at }) => tiles[at]),
      ),
    );
  }
  return nodes;
}

const isOf = (one, other) =>
  one.stack === other.stack && one.layer === other.layer && one.sublayer === other.sublayer;

function headingOf(stack, heads) {
  return element(
    "div",
    { class: "mattered-row mattered-heading" },
    element("span", { class: "mattered-name" }, sayOf("mattered.stack", stack)),
    element("span", {}, say("mattered.all")),
    ...Array.from({ length: heads }, (_, head) =>
      element("span", {}, say("mattered.head", { head })),
    ),
  );
}

/** @param {import("./wire").WireCut} cut */
function tileOf(cut, choose, index) {
  const palette = colours();
  const ground = palette.diverging[100 + Math.round(cut.damage * 100)];
  return pushButton(
    {
      class: `mattered-tile${cut.changed ? " mattered-changed" : ""}`,
      style: `background: ${cssColour(ground)}; color: ${wordsOn(ground, palette)}`,
      "data-cut": String(index),
      "aria-pressed": "false",
      "aria-label": tileText(cut),
      title: tileText(cut),
      onclick: choose,
    },
    cut.short,
  );
}

/** @param {{data: import("./wire").WireCuts, chosen: number, trigger: any}} state */
function cardOf({ data, chosen, trigger }) {
  const cut = data.cuts[chosen];
  const keep = pushButton(
    { class: "mattered-keep", onclick: () => trigger("keep", chosen) },
    say("mattered.keep"),
  );
  return [
    element("p", { class: "mattered-without" }, say("mattered.without", { part: cut.name })),
    cut.stretches.length
      ? element("p", { class: "mattered-written", dir: "auto" }, ...writtenOf(cut))
      : null,
    element("p", { class: "mattered-said" }, cut.said, keep),
  ].filter(Boolean);
}

/** @param {import("./wire").WireCut[]} cuts */
function lineOf(cuts, index, choose) {
  const cut = cuts[index];
  const wide = Math.abs(cut.damage) * 100;
  const helps = cut.damage < 0 ? " mattered-helps" : "";
  return element(
    "li",
    {},
    pushButton(
      {
        class: "mattered-line",
        "data-cut": String(index),
        "aria-pressed": "false",
        onclick: () => choose(index),
      },
      element("span", { class: "mattered-part" }, cut.name),
      element(
        "span",
        { class: `mattered-bar${helps}` },
        element("i", { style: `width: ${wide.toFixed(1)}%` }),
      ),
      element("span", { class: "mattered-damage" }, cut.short),
      element(
        "span",
        { class: "mattered-then", dir: "auto" },
        ...(cut.changed ? writtenOf(cut) : [say("mattered.same_text")]),
      ),
    ),
  );
}

/** @param {import("./wire").WireCut} cut */
function writtenOf({ stretches }) {
  const tags = { same: "span", new: "ins", gone: "del" };
  return stretches.flatMap(([fate, text]) => [element(tags[fate], {}, text), " "]);
}

/** @param {import("./wire").WireCut[]} cuts */
function cutsTable(cuts) {
  const rows = cuts.map(({ stack, layer, sublayer, head, damage }) => [
    stack,
    layer,
    sublayer,
    head ?? -1,
    damage,
  ]);
  const place = { stack: "text", layer: "whole", sublayer: "text", head: "whole" };
  return tableOf({ ...place, "damage, nats a token": "double" }, rows);
}

export const components = { mattered_cuts: mattered };
