// What one step says: its candidates, its uncertainty, and what the key/value cache holds.

import { context2d, fittedText } from "../../../pictures/browser/canvas.js";
import { element } from "../../../pictures/browser/elements.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { samplingDistribution } from "./distribution.js";
import { studioLog, studioShare } from "./studio.js";

const PLAYER_CANDIDATES = 10;
const PLAYER_COUNT = new Intl.NumberFormat("en");

const UNSHAPED = { temperature: 1, topK: 0, topP: 1 };

// The distribution in view: the model's own, or as the sampler shapes it.
function playerDistribution(studio, path, step) {
  const shaping = path.mode === "Sampling" ? studio.shaping : UNSHAPED;
  const { logits } = path.facts(step);
  return samplingDistribution(logits, path.others(step, shaping.temperature), shaping);
}

// One row: its rank from 1, its probability as shaped and unshaped; the share is null where the sampler cuts it.
function playerRow(path, step, rank, distribution) {
  const { ids, logs } = path.facts(step);
  const { probabilities, tempered, kept, shareOf } = distribution;
  const isSent = rank <= ids.length;
  const id = isSent ? ids[rank - 1] : path.ids[step];
  const log = isSent ? logs[rank - 1] : path.logs[step];
  const uncut = isSent ? tempered[rank - 1] : shareOf(log - logs[0]);
  const isCut = kept !== null && rank > kept;
  const share = isCut ? null : isSent ? probabilities[rank - 1] : uncut;
  return { id, rank, log, share, uncut };
}

// How many tokens are not listed, and what they amount to together.
function playerUnlisted(path, distribution, rows) {
  const left = (distribution.kept ?? path.size) - rows.filter(({ share }) => share !== null).length;
  if (left < 1) return "";
  const listed = new Set(rows.map(({ rank }) => rank));
  const sent = distribution.probabilities.reduce(
    (sum, p, i) => (listed.has(i + 1) ? sum : sum + p),
    0,
  );
  const beyond = rows.filter(({ rank }) => rank > distribution.probabilities.length);
  const share = sent + distribution.others - beyond.reduce((sum, row) => sum + (row.share ?? 0), 0);
  const cut =
    distribution.kept === null
      ? ` The cut lies beyond the ${PLAYER_COUNT.format(distribution.probabilities.length)} most probable tokens: shown are the probabilities before it.`
      : "";
  return `${PLAYER_COUNT.format(left)} other${left === 1 ? "" : "s"}: ${studioShare(Math.max(0, share))}.${cut}`;
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

  const unlisted = element("p", { class: "loupe-note studio-unlisted" });

  const fill = (row, path, { id, rank, log, share, uncut }, sampled) => {
    const written = id === path.ids[studio.step];
    const isCut = share === null;
    row.id = id;
    row.rank.textContent = rank;
    row.token.textContent = path.vocabulary[id];
    row.bar.style.width = `${(share ?? 0) * 100}%`;
    row.ghost.style.width = `${(isCut ? uncut : 0) * 100}%`;
    row.share.textContent = isCut ? "cut" : studioShare(share);
    row.log.textContent = isCut ? "" : studioLog(sampled ? Math.log(share) : log);
    row.model.textContent = sampled ? studioShare(Math.exp(log)) : "";
    row.node.classList.toggle("studio-written", written);
    row.node.classList.toggle("studio-cut", isCut);
    const words = isCut ? "cut" : `probability ${studioShare(share)}`;
    row.node.setAttribute(
      "aria-label",
      `${path.vocabulary[id]}, rank ${rank}, ${words}${written ? ", written" : ""}`,
    );
    row.node.title = written ? "written at this step" : "take it instead, and decode on";
  };

  return {
    node: element("div", {}, title, list, unlisted),
    paint(path) {
      const { step } = studio;
      const distribution = playerDistribution(studio, path, step);
      const sampled = path.mode === "Sampling";
      const kept = distribution.kept === null ? "some" : PLAYER_COUNT.format(distribution.kept);
      const size = PLAYER_COUNT.format(path.size);
      title.replaceChildren(
        element("span", {}, `Candidates for step ${step}`),
        element("code", {}, `logits[${step}]`),
        element(
          "span",
          { class: "loupe-shape" },
          sampled ? `${kept} of ${size} kept` : `${size} tokens`,
        ),
      );
      list.classList.toggle("studio-sampled", sampled);
      head.replaceChildren(
        ...["rank", "token", "", "probability", "log p", sampled ? "unshaped" : ""].map((word) =>
          element("span", {}, word),
        ),
      );
      const count = Math.min(PLAYER_CANDIDATES, path.size);
      const ranks = Array.from({ length: count }, (_, i) => i + 1);
      if (path.ranks[step] > count) ranks.push(path.ranks[step]);
      const listed = ranks.map((rank) => playerRow(path, step, rank, distribution));
      rows.forEach((row, i) => {
        row.node.style.visibility = i < listed.length ? "" : "hidden";
        if (i < listed.length) fill(row, path, listed[i], sampled);
      });
      unlisted.textContent = playerUnlisted(path, distribution, listed);
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
      const id = path.ids[step];
      const { bits } = playerDistribution(studio, path, step);
      const most = Math.log2(path.size);
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
          studioShare(Math.exp(path.logs[step])),
        ],
        ["its rank", `${path.ranks[step]} of ${PLAYER_COUNT.format(path.size)}`],
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
      `No cache: without a causal mask each step reads all ${positions(end, "target")} and the source again, which gives ${size} of keys and values.`,
    ];
  const read = held
    ? positions(end - held, "target")
    : `${positions(end, "target")} and ${positions(path.source.length, "source")}`;
  const together = end - held > 1 ? ` in one pass for steps ${held} to ${end - 1}` : "";
  if (!held) return ["Holds nothing yet.", `New: ${read}${together}: ${size}.`];
  return [
    `Holds ${positions(held, "target")} and ${positions(path.source.length, "source")} × ${each}${live}: ${many(path.bytes[step])} bytes.`,
    `New: ${read}${together}: ${size}. Without the cache, ${positions(held, "target")} would be read again, and the keys and values of ${positions(path.source.length, "source")} computed again.`,
  ];
}
