// The beam as a tree that grows downwards: a row for each step, the kept hypotheses first, best on the left.

import { cellFont, shortened } from "../../../pictures/browser/canvas.js";
import { choice, element, followWidth } from "../../../pictures/browser/elements.js";
import { combinedCodes } from "../../../pictures/browser/weights.js";

import { createStudio, studioHead, studioLog, studioStrip } from "./studio.js";

const TREE_ROW = 49; // pixels from step to step at the usual size of type
const TREE_WIDEST = 128;
const TREE_NARROWEST = 62;

function decodingTree(loupe, { host, listen, signal }) {
  const studio = loupe.part(createStudio);
  let data = null;
  let nodes = [];
  let byId = new Map();
  let codes = null;
  let pruned = true;
  let shows = "score";
  let pointed = null;
  let trigger = (_event, _value) => {};

  const title = element("h2", { class: "loupe-heading" });
  const tools = element("div", { class: "loupe-tools" });
  const box = element("div", { class: "studio-tree" });
  const said = element("div", { class: "studio-tree-said", "aria-live": "polite" });
  const strip = studioStrip(studio, "source tokens, shaded by what the hypothesis read");
  const note = element("p", { class: "loupe-note" });
  host.append(
    title,
    tools,
    note,
    element("div", { class: "studio-tree-top" }, said, strip.list),
    box,
  );

  const unpack = () => {
    const { meta } = data;
    codes = data.codes?.getChild("code").toArray() ?? null;
    const fields = "id parent token index logProbability total score kept finished row".split(" ");
    nodes = meta.id.map((_, i) => Object.fromEntries(fields.map((name) => [name, meta[name][i]])));
    byId = new Map(nodes.map((node) => [node.id, node]));
    strip.build(meta.source);
  };

  // From the first token to a node.
  const lineage = (node) => {
    const path = [];
    for (let at = node; at; at = byId.get(at.parent)) path.unshift(at);
    return path;
  };
  const played = () => byId.get(studio.node ?? data.meta.best) ?? byId.get(data.meta.best);

  const draw = () => {
    if (!data || !host.clientWidth) return;
    const { meta } = data;
    studio.look();
    drawTools(meta);
    const steps = [...Map.groupBy(nodes, ({ index }) => index).values()];
    const visible = steps.map((step) => step.filter(({ kept }) => kept || pruned));
    const lanes = Math.max(...visible.map((step) => step.length));
    const scale = cellFont() / 12.5;
    const left = 56 * scale;
    const wide = Math.min(
      TREE_WIDEST * scale,
      Math.max(TREE_NARROWEST * scale, (host.clientWidth - left - 14) / lanes),
    );
    const row = TREE_ROW * scale;
    const places = new Map();
    visible.forEach((step, index) => {
      step.forEach((node, lane) => {
        places.set(node.id, { x: left + lane * wide, y: index * row + 6 });
      });
    });
    const svg = element("svg:svg", {
      width: left + lanes * wide + 6,
      height: visible.length * row + 6,
      role: "group",
      "aria-label": `a beam of ${nodes.length} hypotheses over ${visible.length} steps`,
    });
    const high = row * 0.66;
    const chosen = new Set(lineage(played()).map(({ id }) => id));
    const edges = element("svg:g");
    const boxes = element("svg:g");
    visible.forEach((step, index) => {
      boxes.append(
        element(
          "svg:text",
          {
            x: 0,
            y: index * row + 6 + high / 2,
            class: "studio-tree-step",
            "dominant-baseline": "central",
          },
          `step ${index}`,
        ),
      );
      for (const node of step) {
        const to = places.get(node.id);
        const from = places.get(node.parent);
        const middle = wide / 2 - 3;
        if (from)
          edges.append(
            element("svg:path", {
              d: `M${from.x + middle} ${from.y + high}C${from.x + middle} ${to.y - 4} ${to.x + middle} ${from.y + high + 6} ${to.x + middle} ${to.y}`,
              class: treeClass(node, chosen),
              "data-id": node.id,
            }),
          );
        boxes.append(
          treeNode(node, to, wide - 6, high, treeClass(node, chosen), shows, { point, pick }),
        );
      }
    });
    svg.append(edges, boxes);
    box.replaceChildren(svg);
    mark();
  };

  const drawTools = (meta) => {
    const key = (name, words) => element("span", { class: name }, element("i"), words);
    title.replaceChildren(
      element("span", {}, "The beam as a tree"),
      element(
        "span",
        { class: "loupe-shape" },
        `${nodes.length} hypotheses, ${nodes.filter(({ kept }) => kept).length} kept`,
      ),
    );
    tools.replaceChildren(
      choice(
        "What is written on a hypothesis",
        [
          ["score", `Score, with penalty α = ${meta.penalty}`],
          ["total", "Sum of log p"],
          ["logProbability", "Log p of the token"],
        ],
        shows,
        (value) => {
          shows = value;
          draw();
        },
      ),
      element(
        "label",
        { class: "loupe-field" },
        element("input", {
          type: "checkbox",
          checked: pruned,
          onchange: (event) => {
            pruned = event.target.checked;
            draw();
          },
        }),
        " Pruned too",
      ),
      element(
        "span",
        { class: "studio-legend" },
        key("studio-tree-chosen", "played"),
        key("studio-tree-kept", "kept"),
        key("studio-tree-pruned", "pruned"),
        key("studio-tree-finished", "finished"),
      ),
    );
    const last = nodes.at(-1).index + 1;
    note.textContent = [
      last < meta.steps ? `The first ${last} of ${meta.steps} steps are drawn.` : "",
      codes
        ? ""
        : "What each hypothesis read of the source is too much to send: choose a narrower beam to see it.",
    ].join(" ");
    note.hidden = !note.textContent.trim();
  };

  const point = (id) => {
    pointed = id;
    mark();
  };
  const pick = (id) => {
    clearTimeout(studio.timer);
    trigger("pick", { id, step: byId.get(id).index });
  };

  const mark = () => {
    const node = byId.get(pointed) ?? lineage(played())[studio.step] ?? played();
    if (!node) return;
    const trail = new Set(pointed === null ? [] : lineage(node).map(({ id }) => String(id)));
    const now = String(lineage(played())[studio.step]?.id);
    for (const one of /** @type {NodeListOf<SVGElement>} */ (box.querySelectorAll("[data-id]"))) {
      one.classList.toggle("studio-tree-pointed", trail.has(one.dataset.id));
      one.classList.toggle("studio-tree-now", one.dataset.id === now);
    }
    const state = node.finished ? "finished" : node.kept ? "kept" : "pruned";
    said.replaceChildren(
      element(
        "b",
        {},
        lineage(node)
          .map(({ token }) => token)
          .join(" "),
      ),
      element(
        "span",
        {},
        `${state}; log p of the token ${studioLog(node.logProbability)}, sum ${studioLog(node.total)}, score with penalty ${studioLog(node.score)}`,
      ),
    );
    strip.list.hidden = !codes;
    if (codes) strip.paint(rowOf(node));
  };

  const rowOf = (node) => {
    const { layers, heads, source } = data.meta;
    const { layer, head } = studioHead(loupe, { layers, heads });
    const of = (h) => {
      const first = ((node.row * layers + layer) * heads + h) * source.length;
      return codes.subarray(first, first + source.length);
    };
    return studio.mean
      ? combinedCodes(
          Array.from({ length: heads }, (_, h) => of(h)),
          "mean",
        )
      : of(head);
  };

  studio.follow(signal, (what) => data && (what === "taken" ? draw() : mark()));
  listen((what) => data && what === "selection" && mark());
  followWidth(host, draw, signal);
  return (given, setTriggerValue) => {
    trigger = setTriggerValue;
    if (data !== given) {
      data = given;
      pointed = null;
      unpack();
    }
    draw();
  };
}

function treeClass({ id, kept, finished }, chosen) {
  return [
    chosen.has(id) ? "studio-tree-chosen" : kept ? "studio-tree-kept" : "studio-tree-pruned",
    finished ? "studio-tree-finished" : "",
  ]
    .join(" ")
    .trim();
}

function treeNode(node, { x, y }, wide, high, name, shows, { point, pick }) {
  const size = cellFont();
  const letters = Math.floor((wide - 8) / (size * 0.62));
  const words = `${node.token}, ${node.finished ? "finished" : node.kept ? "kept" : "pruned"}, score ${studioLog(node.score)}`;
  return element(
    "svg:g",
    {
      class: `studio-tree-node ${name}`,
      transform: `translate(${x} ${y})`,
      tabindex: "0",
      role: "button",
      "aria-label": words,
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
    element(
      "svg:text",
      { x: wide / 2, y: high * 0.33, "text-anchor": "middle", "dominant-baseline": "central" },
      shortened(node.token, letters),
    ),
    element(
      "svg:text",
      {
        x: wide / 2,
        y: high * 0.76,
        "text-anchor": "middle",
        "dominant-baseline": "central",
        class: "studio-tree-score",
      },
      studioLog(node[shows]),
    ),
  );
}

export const components = { decoding_tree: decodingTree };
