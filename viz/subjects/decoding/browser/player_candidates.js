// The most probable tokens of a step as bars, the written token (if it is not among them), and one bar for all other
// tokens. A click takes a token.

import { element, pushButton } from "../../../pictures/browser/elements.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { playerDistribution, studioLog, studioShare } from "./studio.js";

const MOST_LISTED = 10;

export function playerCandidates(studio, take) {
  const title = element("h2", { class: "loupe-heading" });
  const head = element("div", {
    class: "studio-candidate studio-candidate-head",
    "aria-hidden": "true",
  });
  const rows = Array.from({ length: MOST_LISTED + 1 }, () => candidateRow(take));
  const others = othersRow();
  const list = element(
    "div",
    { class: "studio-candidates" },
    head,
    ...rows.map(({ node }) => node),
    others.node,
  );
  const note = element("p", { class: "loupe-note studio-note" });

  return {
    node: element("div", {}, title, note, list),
    /** @param {import("./studio").Path} path */
    paint(path) {
      const { step } = studio;
      const distribution = playerDistribution(studio, path, step);
      const isSampled = path.mode === "Sampling";
      title.replaceChildren(...titleWords(path, step, distribution));
      list.classList.toggle("studio-sampled", isSampled);
      const columns = ["rank", "token", "", "probability", "log", isSampled ? "unshaped" : ""];
      head.replaceChildren(
        ...columns.map((name) => element("span", {}, name && sayOf("decoding.column", name))),
      );
      const listed = ranksListed(path, step).map((rank) =>
        candidateAt(path, step, rank, distribution),
      );
      rows.forEach((row, i) => {
        row.node.style.visibility = i < listed.length ? "" : "hidden";
        if (i < listed.length) row.fill(path, step, listed[i]);
      });
      const rest = othersOf(path, distribution, listed);
      others.fill(rest);
      // Its place follows from the length of its bar.
      const at = listed.findIndex(({ share }) => (share ?? 0) < rest.share);
      const next = rows[at < 0 ? listed.length : at]?.node ?? null;
      if (others.node.nextElementSibling !== next) list.insertBefore(others.node, next);
      note.textContent = noteOf(path, distribution);
      note.hidden = !note.textContent;
    },
  };
}

/**
 * @param {import("./studio").Path} path
 * @param {number} step
 * @param {ReturnType<typeof playerDistribution>} distribution
 */
function titleWords(path, step, { kept }) {
  const count = path.size;
  const sampled =
    kept === null ? say("decoding.kept_some", { count }) : say("decoding.kept", { kept, count });
  const words = path.mode === "Sampling" ? sampled : say("decoding.size", { count });
  return [
    element("span", { title: `logits[${step}]` }, say("decoding.candidates", { step })),
    " ", // a space for screen readers
    element("span", { class: "loupe-shape" }, words),
  ];
}

/** Return the first ranks, from 1, and the rank of the token that was written.
 * @param {import("./studio").Path} path
 */
function ranksListed(path, step) {
  const count = Math.min(MOST_LISTED, path.size);
  const ranks = Array.from({ length: count }, (_, i) => i + 1);
  return path.ranks[step] > count ? [...ranks, path.ranks[step]] : ranks;
}

/** Return a candidate: its rank from 1, its probability as shaped (null if the sampler cuts it) and unshaped.
 * @param {import("./studio").Path} path
 */
function candidateAt(path, step, rank, distribution) {
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

// Create a row of the list; `fill` shows a candidate in it.
function candidateRow(take) {
  let id = 0;
  const [rank, share, log, model] = [0, 1, 2, 3].map(() => element("span"));
  const [token, bar, ghost] = [element("bdi"), element("i"), element("u")];
  const track = element("span", { class: "studio-track" }, ghost, bar);
  const node = pushButton(
    { class: "studio-candidate", onclick: () => take(id) },
    ...[rank, token, track, share, log, model].flatMap((part) => [part, " "]), // spaces for screen readers
  );
  return {
    node,
    /** @param {import("./studio").Path} path */
    fill(path, step, one) {
      const isSampled = path.mode === "Sampling";
      const isWritten = one.id === path.ids[step];
      const isCut = one.share === null;
      id = one.id;
      rank.textContent = String(one.rank);
      token.textContent = tokenName(path, id);
      bar.style.width = `${(one.share ?? 0) * 100}%`;
      ghost.style.width = `${(isCut ? one.uncut : 0) * 100}%`;
      share.textContent = isCut ? say("decoding.cut") : studioShare(one.share);
      log.textContent = isCut ? "" : studioLog(isSampled ? Math.log(one.share) : one.log);
      model.textContent = isSampled ? studioShare(Math.exp(one.log)) : "";
      node.classList.toggle("studio-written", isWritten);
      node.classList.toggle("studio-cut", isCut);
      const how = path.forced[step]
        ? say("decoding.candidate_given")
        : say("decoding.candidate_written");
      node.title = isWritten ? how : say("decoding.candidate_take");
    },
  };
}

// Create the row of all tokens that are not listed.
function othersRow() {
  const [words, share] = [element("span", { class: "studio-others-words" }), element("span")];
  const bar = element("i");
  const track = element("span", { class: "studio-track" }, bar);
  const node = element(
    "div",
    { class: "studio-candidate studio-others" },
    ...[element("span"), words, track, share, element("span")].flatMap((part) => [part, " "]),
  );
  return {
    node,
    /** @param {{count: number, share: number}} rest */
    fill({ count, share: whole }) {
      node.style.visibility = count > 0 ? "" : "hidden";
      words.textContent = say("decoding.others", { count });
      bar.style.width = `${whole * 100}%`;
      share.textContent = studioShare(whole);
    },
  };
}

/** Return how many tokens are not listed, and the sum of their probabilities.
 * @param {import("./studio").Path} path
 * @param {ReturnType<typeof playerDistribution>} distribution
 */
function othersOf(path, { kept, probabilities, others }, rows) {
  const count = (kept ?? path.size) - rows.filter(({ share }) => share !== null).length;
  const listed = new Set(rows.map(({ rank }) => rank));
  const sent = probabilities.reduce((sum, p, i) => (listed.has(i + 1) ? sum : sum + p), 0);
  const beyond = rows.filter(({ rank }) => rank > probabilities.length);
  const share = sent + others - beyond.reduce((sum, row) => sum + (row.share ?? 0), 0);
  return { count, share: count > 0 ? Math.max(0, share) : 0 };
}

/** Explain why the other tokens have so much probability, or which part of it is not known.
 * @param {import("./studio").Path} path
 * @param {ReturnType<typeof playerDistribution>} distribution
 */
function noteOf({ mode, smoothing }, { kept }) {
  if (kept === null) return say("decoding.cut_beyond");
  if (mode === "Sampling" || !smoothing) return "";
  return say("decoding.smoothing", { right: 1 - smoothing, rest: smoothing });
}

/** Return the name of a token. A token that stands in for a copied word is not itself a word.
 * @param {import("./studio").Path} path
 */
const tokenName = ({ vocabulary, copies }, id) =>
  copies.includes(vocabulary[id]) ? say("run.copied_word") : vocabulary[id];
