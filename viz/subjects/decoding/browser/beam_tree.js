// The beam as a tree that grows downwards: a row for each step, the kept hypotheses first, best on the left.

import { choice, element, followWidth } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say, sayOf, written } from "../../../pictures/browser/say.js";
import { combinedCodes } from "../../../pictures/browser/weights.js";
import { drawTree, markTree } from "./beam_drawing.js";
import { createStudio, modeSaid, studioHead, studioLog, studioStrip } from "./studio.js";

const FIELDS = "id parent token index logProbability total score kept finished row".split(" ");

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingTree(loupe, { host, listen, signal, save }) {
  const studio = loupe.part(createStudio);
  const view = { data: null, beam: null, pruned: true, shows: "score", pointed: null };
  let trigger = (_event, _value) => {};
  const box = element("div", { class: "studio-tree" });
  const said = element("div", { class: "studio-tree-said", "aria-live": "polite" });
  const strip = studioStrip(studio, "");
  const head = createHead(view, () => draw());
  const top = element("div", { class: "studio-tree-top" }, said, strip.list);
  host.append(head.node, top, box);

  const lineage = () => view.beam.lineage(view.beam.played(studio.node));
  const mark = () => {
    const { beam, pointed } = view;
    const path = lineage();
    const now = path.find(({ index }) => index === studio.step);
    const node = beam.byId.get(pointed) ?? now ?? path.at(-1);
    if (!node) return;
    markTree(box, pointed === null ? [] : beam.lineage(node), now);
    said.replaceChildren(...hypothesisWords(beam.lineage(node)));
    strip.list.hidden = !beam.codes;
    if (beam.codes) strip.paint(rowRead(loupe, studio, beam, node));
  };
  const events = {
    point(id) {
      view.pointed = id;
      mark();
    },
    pick(id) {
      clearTimeout(studio.timer);
      trigger("pick", { id, step: view.beam.byId.get(id).index });
    },
  };
  const draw = () => {
    if (!view.data || !host.clientWidth) return;
    studio.look();
    head.draw();
    box.replaceChildren(drawTree(view, lineage(), host.clientWidth, events));
    mark();
  };

  studio.follow(signal, (what) => view.data && (what === "taken" ? draw() : mark()));
  listen((what) => view.data && what === "selection" && mark());
  followWidth(host, draw, signal);
  save({
    name: say("decoding.saved_tree"),
    table: () => beamTable(view.data.meta),
    said: () => modeSaid(studio),
  });
  /**
   * @param {TreeParcel} data
   * @param {import("../../../pictures/browser/types").Trigger} setTriggerValue
   */
  return (data, setTriggerValue) => {
    trigger = setTriggerValue;
    if (view.data !== data) {
      Object.assign(view, { data, beam: unpackBeam(data), pointed: null });
      strip.list.setAttribute("aria-label", sayOf("decoding.tree_strip", data.meta.reads));
      strip.build(data.meta.source);
    }
    draw();
  };
}

/** A tree, and the codes of the rows that its hypotheses read, where they are not too many.
 * @typedef {{meta: import("./wire").WireTree, codes?: import("../../../pictures/browser/types").ArrowTable<Uint16Array>}} TreeParcel
 */

/** The hypotheses, and the way from the first token to each.
 * @param {TreeParcel} parcel
 */
function unpackBeam({ meta, codes }) {
  const nodes = meta.id.map((_, i) =>
    Object.fromEntries(FIELDS.map((name) => [name, meta[name][i]])),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return {
    meta,
    nodes,
    byId,
    codes: codes?.getChild("code").toArray() ?? null,
    played: (id) => byId.get(id ?? meta.best) ?? byId.get(meta.best),
    lineage(node) {
      const path = [];
      for (let one = node; one; one = byId.get(one.parent)) path.unshift(one);
      return path;
    },
  };
}

// What a hypothesis read of the source when it was made, as codes.
function rowRead(loupe, studio, { meta, codes }, node) {
  const { layers, heads, source } = meta;
  const { layer, head } = studioHead(loupe, { layers, heads });
  const of = (h) => {
    const first = ((node.row * layers + layer) * heads + h) * source.length;
    return codes.subarray(first, first + source.length);
  };
  if (!studio.mean) return of(head);
  const all = Array.from({ length: heads }, (_, h) => of(h));
  return combinedCodes(all, "mean");
}

// The heading, what is written on a hypothesis and which ones are drawn, and what is left out.
function createHead(view, draw) {
  const title = element("h2", { class: "loupe-heading" });
  const tools = element("div", { class: "loupe-tools" });
  const note = element("p", { class: "loupe-note" });
  return {
    node: element("div", {}, title, tools, note),
    draw() {
      const { nodes } = view.beam;
      const kept = nodes.filter((node) => node.kept).length;
      title.replaceChildren(
        element("span", {}, say("decoding.tree")),
        element(
          "span",
          { class: "loupe-shape" },
          say("decoding.tree_size", { hypotheses: nodes.length, kept }),
        ),
      );
      tools.replaceChildren(valueChoice(view, draw), prunedBox(view, draw), legend());
      note.textContent = leftOut(view.beam);
      note.hidden = !note.textContent;
    },
  };
}

function valueChoice(view, draw) {
  const { penalty } = view.data.meta;
  return choice(
    say("decoding.tree_value"),
    [
      ["score", say("decoding.tree_score", { penalty: written(String(penalty)) })],
      ["total", say("decoding.tree_total")],
      ["logProbability", say("decoding.tree_log")],
    ],
    view.shows,
    (shows) => {
      view.shows = shows;
      draw();
    },
  );
}

function prunedBox(view, draw) {
  const box = element("input", {
    type: "checkbox",
    checked: view.pruned,
    onchange: () => {
      view.pruned = box.checked;
      draw();
    },
  });
  return element("label", { class: "loupe-field" }, box, ` ${say("decoding.tree_pruned")}`);
}

function legend() {
  const states = ["chosen", "kept", "pruned", "finished"];
  const key = (name) =>
    element("span", { class: `studio-tree-${name}` }, element("i"), sayOf("decoding.state", name));
  return element("span", { class: "studio-legend" }, ...states.map(key));
}

function leftOut({ nodes, meta, codes }) {
  const last = nodes.at(-1).index + 1;
  const words = [];
  if (last < meta.steps) words.push(say("decoding.tree_part", { count: last, steps: meta.steps }));
  if (!codes) words.push(sayOf("decoding.tree_unread", meta.reads));
  return words.join(" ");
}

function hypothesisWords(lineage) {
  const node = lineage.at(-1);
  const state = node.finished ? "finished" : node.kept ? "kept" : "pruned";
  const [log, total, score] = [node.logProbability, node.total, node.score].map(studioLog);
  return [
    element("b", {}, lineage.map(({ token }) => token).join(" ")),
    element(
      "span",
      {},
      say("decoding.tree_said", { state: sayOf("decoding.state", state), log, total, score }),
    ),
  ];
}

/** @param {import("./wire").WireTree} tree */
function beamTable({ id, parent, index, token, logProbability, total, score, kept, finished }) {
  const rows = id.map((each, i) => [
    each,
    parent[i] ?? -1,
    index[i],
    token[i],
    logProbability[i],
    total[i],
    score[i],
    Number(kept[i]),
    Number(finished[i]),
  ]);
  const place = { hypothesis: "whole", parent: "whole", step: "whole", token: "text" };
  const logs = { "log probability": "double", total: "double", score: "double" };
  return tableOf({ ...place, ...logs, kept: "whole", finished: "whole" }, rows);
}

export const components = { decoding_tree: decodingTree };
