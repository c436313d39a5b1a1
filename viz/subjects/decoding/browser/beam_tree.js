// The beam as a tree that grows downwards: a row for each step, the kept hypotheses first, the best on the left.

import { shortened } from "../../../pictures/browser/canvas.js";
import { cellFont } from "../../../pictures/browser/colours.js";
import { element, followWidth } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { createStudio, modeSaid, studioLog } from "./studio.js";

const FIELDS = "id parent token index logProbability total score kept finished".split(" ");
const ROW = 49; // pixels from step to step, for letters of the usual size
const WIDEST = 128;
const NARROWEST = 62;

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingTree(loupe, { host, signal, save }) {
  const studio = loupe.part(createStudio);
  let beam = null;
  let sent = null;
  const box = element("div", { class: "studio-tree" });
  const said = element("div", { class: "studio-tree-said", "aria-live": "polite" });
  const head = element("div");
  host.append(head, element("div", { class: "studio-tree-top" }, said), box);

  const mark = (pointed = null) => {
    const played = beam.lineage(beam.meta.best);
    const now = played.find(({ index }) => index === studio.step) ?? played.at(-1);
    markTree(box, pointed === null ? [] : beam.lineage(pointed), now);
    said.replaceChildren(...hypothesisWords(beam.lineage(pointed ?? now.id)));
  };
  const draw = () => {
    if (!beam || !host.clientWidth) return;
    box.replaceChildren(drawTree(beam, host.clientWidth, mark));
    mark();
  };
  studio.follow(signal, () => beam && mark());
  followWidth(host, draw, signal);
  save({
    name: say("decoding.saved_tree"),
    table: () => beamTable(beam.meta),
    said: () => modeSaid(studio),
  });
  /** @param {import("./wire").WireTree} data */
  return (data) => {
    if (sent !== data) {
      sent = data;
      beam = unpackBeam(data);
      head.replaceChildren(...headOf(beam));
    }
    draw();
  };
}

/** Return the hypotheses, and the path from the first token to each.
 * @param {import("./wire").WireTree} meta
 */
function unpackBeam(meta) {
  const nodes = meta.id.map((_, i) =>
    Object.fromEntries(FIELDS.map((name) => [name, meta[name][i]])),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return {
    meta,
    nodes,
    lineage(id) {
      const path = [];
      for (let one = byId.get(id); one; one = byId.get(one.parent)) path.unshift(one);
      return path;
    },
  };
}

// Create the heading, the legend of the boxes, and a note on what is left out.
function headOf({ nodes, meta }) {
  const kept = nodes.filter((node) => node.kept).length;
  const count = nodes.at(-1).index + 1;
  const size = say("decoding.tree_size", { hypotheses: nodes.length, kept });
  const note = say("decoding.played_part", { count, steps: meta.steps });
  return [
    element(
      "h2",
      { class: "loupe-heading" },
      element("span", {}, say("decoding.tree")),
      element("span", { class: "loupe-shape" }, size),
    ),
    element("div", { class: "loupe-tools" }, legend()),
    ...(count < meta.steps ? [element("p", { class: "loupe-note" }, note)] : []),
  ];
}

function legend() {
  const states = ["chosen", "kept", "pruned", "finished"];
  const key = (name) =>
    element("span", { class: `studio-tree-${name}` }, element("i"), sayOf("decoding.state", name));
  return element("span", { class: "studio-legend" }, ...states.map(key));
}

function hypothesisWords(lineage) {
  const node = lineage.at(-1);
  const [log, total, score] = [node.logProbability, node.total, node.score].map(studioLog);
  return [
    element("b", {}, lineage.map(({ token }) => token).join(" ")),
    element(
      "span",
      {},
      say("decoding.tree_said", {
        state: sayOf("decoding.state", stateOf(node)),
        log,
        total,
        score,
      }),
    ),
  ];
}

function drawTree(beam, width, point) {
  const steps = [...Map.groupBy(beam.nodes, ({ index }) => index).values()];
  const place = placesOf(steps, width);
  const chosen = new Set(beam.lineage(beam.meta.best));
  const edges = element("svg:g");
  const boxes = element("svg:g");
  steps.forEach((step, index) => {
    boxes.append(stepLabel(index, step[0].index, place));
    for (const node of step) {
      const name = classOf(node, chosen);
      const [from, to] = [place.of.get(node.parent), place.of.get(node.id)];
      if (from) edges.append(edge(node, from, to, place, name));
      boxes.append(box(node, to, place, name, point));
    }
  });
  return element(
    "svg:svg",
    {
      width: place.width,
      height: place.height,
      role: "group",
      "aria-label": say("decoding.tree_label", {
        hypotheses: beam.nodes.length,
        steps: steps.length,
      }),
    },
    edges,
    boxes,
  );
}

// Return where each hypothesis is drawn, and how large.
function placesOf(steps, width) {
  const scale = cellFont() / 12.5;
  const left = 56 * scale;
  const row = ROW * scale;
  const lanes = Math.max(...steps.map((step) => step.length));
  const fits = Math.max(NARROWEST * scale, (width - left - 14) / lanes);
  const lane = Math.min(WIDEST * scale, fits);
  const of = new Map();
  steps.forEach((step, index) => {
    step.forEach((node, i) => {
      of.set(node.id, { x: left + i * lane, y: index * row + 6 });
    });
  });
  return {
    of,
    row,
    wide: lane - 6,
    high: row * 0.66,
    width: left + lanes * lane + 6,
    height: steps.length * row + 6,
  };
}

function classOf(node, chosen) {
  const state = chosen.has(node) ? "chosen" : node.kept ? "kept" : "pruned";
  return `studio-tree-${state}${node.finished ? " studio-tree-finished" : ""}`;
}

function stepLabel(place, index, { row, high }) {
  const y = place * row + 6 + high / 2;
  return element(
    "svg:text",
    { x: 0, y, class: "studio-tree-step", "dominant-baseline": "central" },
    say("decoding.step", { step: index }),
  );
}

function edge(node, from, to, { wide, high }, name) {
  const [x, y] = [from.x + wide / 2, from.y + high];
  const end = to.x + wide / 2;
  const d = `M${x} ${y}C${x} ${to.y - 4} ${end} ${y + 6} ${end} ${to.y}`;
  return element("svg:path", { d, class: name, "data-id": node.id });
}

const stateOf = ({ finished, kept }) => (finished ? "finished" : kept ? "kept" : "pruned");

function box(node, { x, y }, { wide, high }, name, point) {
  const letters = Math.floor((wide - 8) / (cellFont() * 0.62));
  const text = (at, attributes, words) =>
    element(
      "svg:text",
      {
        x: wide / 2,
        y: high * at,
        "text-anchor": "middle",
        "dominant-baseline": "central",
        ...attributes,
      },
      words,
    );
  return element(
    "svg:g",
    {
      class: `studio-tree-node ${name}`,
      transform: `translate(${x} ${y})`,
      tabindex: "0",
      role: "img",
      "aria-label": say("decoding.tree_node", {
        token: node.token,
        state: sayOf("decoding.state", stateOf(node)),
        score: studioLog(node.score),
      }),
      "data-id": node.id,
      onpointerenter: () => point(node.id),
      onpointerleave: () => point(null),
      onfocus: () => point(node.id),
      onblur: () => point(null),
    },
    element("svg:rect", { width: wide, height: high, rx: 5 }),
    text(0.33, {}, shortened(node.token, letters)),
    text(0.76, { class: "studio-tree-score" }, studioLog(node.score)),
  );
}

// Highlight the path to the hypothesis that is pointed at, and the hypothesis of the step in view.
function markTree(host, pointed, now) {
  const trail = new Set(pointed.map(({ id }) => String(id)));
  const nodes = /** @type {NodeListOf<SVGElement>} */ (host.querySelectorAll("[data-id]"));
  for (const node of nodes) {
    node.classList.toggle("studio-tree-pointed", trail.has(node.dataset.id));
    node.classList.toggle("studio-tree-now", node.dataset.id === String(now?.id));
  }
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
