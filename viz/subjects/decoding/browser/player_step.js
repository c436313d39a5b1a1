// What one step says: its candidates, its uncertainty, and what the key/value cache holds.

import { context2d, fittedText } from "../../../pictures/browser/canvas.js";
import { element } from "../../../pictures/browser/elements.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { distributionEntropy, samplingDistribution } from "./distribution.js";
import { studioLog, studioShare } from "./studio.js";

const PLAYER_CANDIDATES = 10;
const PLAYER_COUNT = new Intl.NumberFormat("en");

// The distribution in view: the model's own, or as the sampler shapes it.
function playerDistribution(studio, path, step) {
  const { logs, order } = path.facts(step);
  if (path.mode === "Sampling")
    return samplingDistribution(path.logitsOf(step), studio.shaping, order);
  return { probabilities: logs.map(Math.exp), tempered: null, kept: order.length };
}

// The most probable tokens as bars, and the one that was written where it is not among them. A click takes one.
export function playerCandidates(studio, take) {
  const title = element("h2", { class: "loupe-heading" });
  const head = element("div", {
    class: "studio-candidate studio-candidate-head",
    "aria-hidden": "true",
  });
  const list = element("div", { class: "studio-candidates" }, head);
  const rows = Array.from({ length: PLAYER_CANDIDATES + 1 }, () => {
    const cells = {
      rank: element("span"),
      token: element("bdi"),
      bar: element("i"),
      ghost: element("u"),
      share: element("span"),
      log: element("span"),
      model: element("span"),
    };
    const node = element(
      "button",
      { type: "button", class: "studio-candidate", onclick: () => take(row.id) },
      cells.rank,
      cells.token,
      element("span", { class: "studio-track" }, cells.ghost, cells.bar),
      cells.share,
      cells.log,
      cells.model,
    );
    const row = { node, ...cells, id: 0 };
    list.append(node);
    return row;
  });

  const fill = (row, path, id, rank, { probabilities, tempered, kept }, logs) => {
    const written = id === path.ids[studio.step];
    const isCut = rank >= kept;
    row.id = id;
    row.rank.textContent = rank;
    row.token.textContent = path.vocabulary[id];
    row.bar.style.width = `${probabilities[id] * 100}%`;
    row.ghost.style.width = `${(isCut && tempered ? tempered[id] : 0) * 100}%`;
    row.share.textContent = isCut ? "cut" : studioShare(probabilities[id]);
    row.log.textContent = isCut ? "" : studioLog(tempered ? Math.log(probabilities[id]) : logs[id]);
    row.model.textContent = tempered ? studioShare(Math.exp(logs[id])) : "";
    row.node.classList.toggle("studio-written", written);
    row.node.classList.toggle("studio-cut", isCut);
    const words = isCut ? "cut" : `probability ${studioShare(probabilities[id])}`;
    row.node.setAttribute(
      "aria-label",
      `${path.vocabulary[id]}, rank ${rank}, ${words}${written ? ", written" : ""}`,
    );
    row.node.title = written ? "written at this step" : "take it instead, and decode on";
  };

  return {
    node: element("div", {}, title, list),
    paint(path) {
      const { step } = studio;
      const { logs, order, ranks } = path.facts(step);
      const distribution = playerDistribution(studio, path, step);
      const sampled = path.mode === "Sampling";
      title.replaceChildren(
        element("span", {}, `Candidates for step ${step}`),
        element("code", {}, `logits[${step}]`),
        element(
          "span",
          { class: "loupe-shape" },
          sampled
            ? `${PLAYER_COUNT.format(distribution.kept)} of ${PLAYER_COUNT.format(order.length)} kept`
            : `${PLAYER_COUNT.format(order.length)} tokens`,
        ),
      );
      list.classList.toggle("studio-sampled", sampled);
      head.replaceChildren(
        ...["rank", "token", "", "probability", "log p", sampled ? "unshaped" : ""].map((word) =>
          element("span", {}, word),
        ),
      );
      const count = Math.min(PLAYER_CANDIDATES, order.length);
      const rank = ranks[path.ids[step]];
      rows.forEach((row, i) => {
        const extra = i === PLAYER_CANDIDATES && rank >= count;
        row.node.style.visibility = i < count || extra ? "" : "hidden";
        if (i < count) fill(row, path, order[i], i, distribution, logs);
        else if (extra) fill(row, path, path.ids[step], rank, distribution, logs);
      });
    },
  };
}

// How sure the model is at this step, and where the token that was written stands.
export function playerFacts(studio) {
  const said = element("p", { class: "studio-sure" });
  const bar = element("i");
  const list = element("dl", { class: "studio-facts" });
  return {
    node: element(
      "div",
      {},
      element("h2", { class: "loupe-heading" }, "Entropy"),
      said,
      element("div", { class: "studio-meter" }, bar),
      list,
    ),
    paint(path) {
      const { step } = studio;
      const { logs, ranks } = path.facts(step);
      const id = path.ids[step];
      const bits = distributionEntropy(playerDistribution(studio, path, step).probabilities);
      const most = Math.log2(path.vocabulary.length);
      const share = most ? bits / most : 0;
      said.replaceChildren(
        element("b", {}, `${bits.toFixed(3)} bits`),
        ` of at most ${most.toFixed(2)}: ${percentText(share)}`,
      );
      bar.style.width = `${share * 100}%`;
      const facts = [
        [path.forced[step] ? "forced" : "written", element("bdi", {}, path.vocabulary[id])],
        [
          path.mode === "Sampling" ? "unshaped probability" : "its probability",
          studioShare(Math.exp(logs[id])),
        ],
        ["its rank", String(ranks[id])],
        ["log p of all so far", studioLog(path.total(step))],
      ];
      list.replaceChildren(
        ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
      );
    },
  };
}

// The keys and values: what the cache holds, and what this pass computes, layer by layer.
export function playerCache(studio) {
  const canvas = element("canvas", { class: "studio-cache", role: "img" });
  const legend = element("p", { class: "studio-legend" });
  const words = element("div", { class: "studio-words" });
  const box = element(
    "div",
    {},
    element("h2", { class: "loupe-heading" }, "Key/value cache"),
    canvas,
    legend,
    words,
  );
  let drawn = "";
  let width = 0;

  const sizes = (path, { size }) => {
    const room = Math.max(160, (width || 320) - 5.5 * size);
    const columns = path.source.length + path.steps + 1;
    const cell = Math.max(2, Math.min(1.2 * size, room / columns));
    const high = Math.max(6, Math.min(1.2 * size, Math.round(150 / path.layers)));
    return { cell, high, left: 5 * size, top: 1.6 * size, gap: cell > 4 ? 1 : 0 };
  };

  return {
    node: box,
    measure: () => (width = box.clientWidth),
    build(path) {
      this.measure();
      const key = (name, text) => element("span", { class: name }, element("i"), text);
      legend.replaceChildren(
        ...(path.causal ? [key("studio-held", "in the cache")] : []),
        key("studio-new", "computed in this pass"),
        key("studio-none", "not there yet"),
      );
      drawn = "";
    },
    paint(path) {
      const { step } = studio;
      const { palette } = studio;
      const place = sizes(path, palette);
      const held = path.cached[step];
      const end = path.ends[step];
      const wanted = [studio.key, held, end, place.cell, palette.under].join(" ");
      words.replaceChildren(...playerCacheWords(path, step).map((text) => element("p", {}, text)));
      if (wanted === drawn) return;
      drawn = wanted;
      const { cell, high, left, top, gap } = place;
      const gapAt = path.source.length;
      const context = context2d(
        canvas,
        left + (path.source.length + path.steps + 1) * cell,
        top + path.layers * high + 2,
      );
      context.font = `${0.95 * palette.size}px ${palette.font}`;
      context.fillStyle = palette.soft;
      context.textBaseline = "middle";
      context.fillText(fittedText(context, "source", gapAt * cell), left, top / 2 - 1);
      context.fillText(
        fittedText(context, "target", path.steps * cell),
        left + (gapAt + 1) * cell,
        top / 2 - 1,
      );
      const paint = (x, count, colour, alpha) => {
        context.globalAlpha = alpha;
        context.fillStyle = colour;
        for (let layer = 0; layer < path.layers; layer++)
          for (let i = 0; i < count; i++)
            context.fillRect(left + (x + i) * cell, top + layer * high, cell - gap, high - gap);
        context.globalAlpha = 1;
      };
      const some = held > 0;
      paint(0, path.source.length, some ? palette.value : palette.accent, some ? 0.55 : 1);
      paint(gapAt + 1, held, palette.value, 0.55);
      paint(gapAt + 1 + held, end - held, palette.accent, 1);
      paint(gapAt + 1 + end, path.steps - end, palette.line, 1);
      context.fillStyle = palette.soft;
      if (high >= 9)
        for (let layer = 0; layer < path.layers; layer++)
          context.fillText(`layer ${layer}`, 0, top + (layer + 0.5) * high);
      canvas.setAttribute(
        "aria-label",
        `${held} target positions in the cache, ${end - held} computed in this pass, of ${path.layers} layers`,
      );
    },
  };
}

function playerCacheWords(path, step) {
  const held = path.cached[step];
  const end = path.ends[step];
  const many = PLAYER_COUNT.format;
  const positions = (count, side) => `${count} ${side} position${count === 1 ? "" : "s"}`;
  const each = `${path.layers} layer${path.layers === 1 ? "" : "s"} × ${path.heads} head${path.heads === 1 ? "" : "s"} × ${path.numbers / path.heads} numbers`;
  const live = path.live[step] > 1 ? ` × ${path.live[step]} hypotheses` : "";
  const numbers = (count) => path.layers * path.numbers * count * path.live[step];
  const fresh = held ? numbers(end - held) : numbers(end + path.source.length);
  const size = `${many(fresh)} numbers, ${many(fresh * path.element)} bytes`;
  if (!path.causal)
    return [
      `No cache: without a causal mask each step reads all ${positions(end, "target")} and the source again, ${size} of keys and values.`,
    ];
  const read = held
    ? positions(end - held, "target")
    : `${positions(end, "target")} and ${positions(path.source.length, "source")}`;
  const together = end - held > 1 ? ` in one pass for steps ${held} to ${end - 1}` : "";
  if (!held) return ["Holds nothing yet.", `New: ${read}${together}: ${size}.`];
  return [
    `Holds ${positions(held, "target")} and ${positions(path.source.length, "source")} × ${each}${live}: ${many(path.bytes[step])} bytes.`,
    `New: ${read}${together}: ${size}. Without it, ${positions(end, "target")} would be read again.`,
  ];
}
