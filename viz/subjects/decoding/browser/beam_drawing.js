// The tree of a beam, drawn: its boxes, the lines between them, what is lit.

import { shortened } from "../../../pictures/browser/canvas.js";
import { cellFont } from "../../../pictures/browser/colours.js";
import { element } from "../../../pictures/browser/elements.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { studioLog } from "./studio.js";

const ROW = 49; // pixels from step to step at the usual size of type
const WIDEST = 128;
const NARROWEST = 62;

/** The tree; the hypotheses of `lineage` are the one that is played. */
export function drawTree({ beam, pruned, shows }, lineage, width, events) {
  const steps = [...Map.groupBy(beam.nodes, ({ index }) => index).values()].map((step) =>
    step.filter(({ kept }) => kept || pruned),
  );
  const place = placesOf(steps, width);
  const chosen = new Set(lineage);
  const edges = element("svg:g");
  const boxes = element("svg:g");
  steps.forEach((step, index) => {
    boxes.append(stepLabel(index, step[0].index, place));
    for (const node of step) {
      const name = classOf(node, chosen);
      const [from, to] = [place.of.get(node.parent), place.of.get(node.id)];
      if (from) edges.append(edge(node, from, to, place, name));
      boxes.append(box(node, to, place, name, studioLog(node[shows]), events));
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

// Where each hypothesis stands, and how large it is.
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

function box(node, { x, y }, { wide, high }, name, value, { point, pick }) {
  const letters = Math.floor((wide - 8) / (cellFont() * 0.62));
  const state = node.finished ? "finished" : node.kept ? "kept" : "pruned";
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
      role: "button",
      "aria-label": say("decoding.tree_node", {
        token: node.token,
        state: sayOf("decoding.state", state),
        score: studioLog(node.score),
      }),
      "data-id": node.id,
      onpointerenter: () => point(node.id),
      onpointerleave: () => point(null),
      onfocus: () => point(node.id),
      onblur: () => point(null),
      onclick: () => pick(node.id),
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        pick(node.id);
      },
    },
    element("svg:rect", { width: wide, height: high, rx: 5 }),
    text(0.33, {}, shortened(node.token, letters)),
    text(0.76, { class: "studio-tree-score" }, value),
  );
}

/** Light up the way to the hypothesis that is pointed at, and the one of the step in view. */
export function markTree(host, pointed, now) {
  const trail = new Set(pointed.map(({ id }) => String(id)));
  const nodes = /** @type {NodeListOf<SVGElement>} */ (host.querySelectorAll("[data-id]"));
  for (const node of nodes) {
    node.classList.toggle("studio-tree-pointed", trail.has(node.dataset.id));
    node.classList.toggle("studio-tree-now", node.dataset.id === String(now?.id));
  }
}
