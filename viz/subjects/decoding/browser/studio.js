// The shared state of the decoding pictures: the path that is played, the step in view, and when to tell Python of it.

import { colours, cssColour, wordsOn } from "../../../pictures/browser/colours.js";
import { clamp, element } from "../../../pictures/browser/elements.js";
import { SPECIAL } from "../../../pictures/browser/run.js";
import { say, written } from "../../../pictures/browser/say.js";
import { rankedLogs, samplingDistribution } from "../../../pictures/browser/twin/distribution.js";
import {
  CODE_MASKED,
  shortWeight,
  weightColour,
  weightOf,
} from "../../../pictures/browser/weights.js";

/** Paths of a decoder's weights: its self-attention, and its cross-attention on the source. */
export const WEIGHTS = [
  "decoder.layers.{layer}.self_attn.weights",
  "decoder.layers.{layer}.cross_attn.weights",
];
const STUDIO_REST_MS = 600; // after the last move
const STUDIO_PATHS_KEPT = 6;
const UNSHAPED = { temperature: 1, topK: 0, topP: 1 };

/** @typedef {ReturnType<typeof studioPath>} Path */

// Create the state of the studio, one for each explorer.
export function createStudio() {
  const followers = new Set(); // called with what changed: "path", "typed", "taken", "step", "shaping" or "look"
  const studio = {
    /** @type {Map<string, Path>} The paths by their keys. */
    paths: new Map(),
    key: null, // of the path that is played
    ...createTold(),
    step: 0,
    playing: false,
    shaping: { temperature: 1, topK: 0, topP: 1 },
    commit: () => {}, // set by the player; tells Python the step
    timer: null,
    looking: null,
    palette: null, // colours of the page, read before anything is written: reading them later causes a second layout

    path: () => studio.paths.get(studio.key),
    isLast: () => studio.step >= studio.path().steps - 1,

    follow(signal, follower) {
      followers.add(follower);
      signal.addEventListener("abort", () => followers.delete(follower));
    },

    look: () => readColours(studio),

    tell(what) {
      studio.look();
      for (const follower of followers) {
        try {
          follower(what);
        } catch (error) {
          console.error("loupe: a picture of the decoding failed", error);
        }
      }
    },

    go(step) {
      const path = studio.path();
      if (!path) return;
      const next = clamp(step, path.steps);
      if (next === studio.step) return;
      studio.step = next;
      studio.tell("step");
      studio.restSoon();
    },

    // Tell Python the step once nothing has moved for a while and nothing plays.
    restSoon() {
      clearTimeout(studio.timer);
      studio.timer = setTimeout(() => studio.playing || studio.commit(), STUDIO_REST_MS);
    },

    change(what, changes) {
      Object.assign(studio, changes);
      studio.tell(what);
      studio.restSoon();
    },
  };
  return studio;
}

const createTold = () => ({
  /** @type {import("./wire").WirePlayer | null} What the player was told last. */
  told: null,
  /** @type {import("./wire").WirePlayer | null} The same for the text that is being typed, which Python has not run. */
  typed: null,
});

// Read the colours; try again soon if the style sheet has not arrived.
function readColours(studio) {
  studio.palette = colours();
  clearTimeout(studio.looking);
  if (!studio.palette.under.endsWith("px"))
    studio.looking = setTimeout(() => studio.tell("look"), 60);
}

/** A path with its most probable tokens, the sums over all other tokens, and its weights as codes.
 * @typedef {object} PathParcel
 * @property {import("./wire").WirePath} meta
 * @property {import("../../../pictures/browser/types").ArrowTable<Int32Array | Float32Array>} ranked
 * @property {import("../../../pictures/browser/types").ArrowTable<Float64Array>} others
 * @property {import("../../../pictures/browser/types").ArrowTable<Uint16Array>} codes
 */

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingPath(loupe) {
  const studio = loupe.part(createStudio);
  /** @param {PathParcel} data */
  return (data) => {
    if (studio.paths.has(data.meta.key)) return;
    studio.paths.set(data.meta.key, studioPath(data));
    for (const key of studio.paths.keys())
      if (studio.paths.size > STUDIO_PATHS_KEPT && key !== studio.told?.path)
        studio.paths.delete(key);
    studio.tell("path");
  };
}

/** Return how the path that is played was written, for saved files.
 * @param {{ path(): { mode: string } | undefined }} studio
 */
export const modeSaid = (studio) => ({ decoding: studio.path()?.mode });

/** Unpack a path that Python sent; the numbers of a step are computed when the step is first seen.
 * @param {PathParcel} data
 */
function studioPath(data) {
  const { meta } = data;
  const steps = meta.ids.length;
  const [ids, logits] = ["id", "logit"].map((name) => data.ranked.getChild(name).toArray());
  const [sums, weighted] = ["sum", "weighted"].map((name) => data.others.getChild(name).toArray());
  const codes = data.codes.getChild("code").toArray();
  const cells = [steps, meta.source.length].map((columns) => ({
    columns,
    size: meta.layers * meta.heads * steps * columns,
  }));
  const known = new Map();
  const totals = totalsOf(meta);
  return {
    ...meta,
    steps,
    target: [meta.begin, ...meta.ids.map((id) => meta.vocabulary[id])],

    // Return the sums over the tokens that were not sent, at one of the temperatures for which Python sent sums.
    others(step, temperature) {
      const count = meta.size - meta.sent;
      if (!count) return { count, sum: 0, weighted: 0 };
      const place = step * meta.temperatures.length + meta.temperatures.indexOf(temperature);
      return { count, sum: sums[place], weighted: weighted[place] };
    },

    // Return the most probable tokens of a step with their logits and log-probabilities, by their rank from 0.
    facts(step) {
      if (!known.has(step)) {
        const part = (all) => all.subarray(step * meta.sent, (step + 1) * meta.sent);
        const best = part(logits);
        known.set(step, {
          ids: part(ids),
          logits: best,
          logs: rankedLogs(best, this.others(step, 1)),
        });
      }
      return known.get(step);
    },

    // Return the log-probability of everything written up to a step.
    total: (step) => totals[step],

    // Return the codes of one row of "self" or "cross" attention in a layer and head.
    row(which, layer, head, step) {
      const cross = which === "cross" ? 1 : 0;
      const { columns } = cells[cross];
      const start = cross ? cells[0].size : 0;
      const first = start + ((layer * meta.heads + head) * steps + step) * columns;
      return codes.subarray(first, first + columns);
    },
  };
}

/** Return the log-probability of what is written up to each step; a prompt does not count as written.
 * @param {{logs: number[], prompt: number}} path
 */
export function totalsOf({ logs, prompt }) {
  let total = 0;
  return logs.map((log, step) => {
    if (step >= prompt) total += log;
    return total;
  });
}

/** Return the distribution of a step that the player shows: the model's own, or as the sampler shapes it.
 * @param {Path} path
 */
export function playerDistribution(studio, path, step) {
  const shaping = path.mode === "Sampling" ? studio.shaping : UNSHAPED;
  const { logits } = path.facts(step);
  return samplingDistribution(logits, path.others(step, shaping.temperature), shaping);
}

// Return the layer and head in view, limited to those of the decoder.
export function studioHead(loupe, path) {
  const { layer, head } = loupe.selection ?? { layer: 0, head: 0 };
  return { layer: clamp(layer, path.layers), head: clamp(head, path.heads) };
}

// Write a probability for readers: only an exact 0 or 1 is shown as such.
export function studioShare(p) {
  if (p > 0 && p < 0.0001) return written(p.toExponential(1).replace("-", "−"));
  if (p < 1 && p > 0.9999) return `>${short("0.9999")}`;
  return short(p.toFixed(4));
}

const short = (text) =>
  written(say("language.leading_zero") === "yes" ? text : text.replace(/^0/, ""));

export function studioLog(value) {
  if (value === -Infinity) return "−∞";
  return written((value === 0 ? "0.000" : value.toFixed(3)).replace("-", "−"));
}

// Scroll sideways until a node is visible beside what sticks to the left, in a frame of its own, because measuring
// right after writing would lay out the page twice.
export function studioKeepInView(scroll, node, sticky = null) {
  requestAnimationFrame(() => {
    if (scroll.scrollWidth <= scroll.clientWidth) return;
    const [box, seen] = [node.getBoundingClientRect(), scroll.getBoundingClientRect()];
    const left = seen.left + (sticky?.offsetWidth ?? 0);
    if (box.left < left) scroll.scrollLeft -= left - box.left + box.width;
    else if (box.right > seen.right) scroll.scrollLeft += box.right - seen.right + box.width;
  });
}

// Create tokens as chips that are shaded and underlined by weights. `paint(codes)` shows one row of weights.
export function studioStrip(studio, label, choose) {
  // A strip scrolls where it is long: without buttons in it, a keyboard has to reach the strip itself.
  const tabindex = choose ? null : "0";
  const list = element("ol", { class: "studio-strip", "aria-label": label, tabindex });
  let chips = [];
  return {
    list,
    chips: () => chips,
    build(tokens) {
      chips = tokens.map((token, position) => {
        const bar = element("i");
        const weight = element("small");
        const body = element("bdi", {}, token);
        const node = element(
          choose ? "button" : "span",
          {
            class: `studio-chip${SPECIAL.has(token) ? " loupe-special" : ""}`,
            type: choose ? "button" : null,
          },
          body,
        );
        if (choose) node.addEventListener("click", () => choose(position));
        return {
          item: element("li", {}, node, element("span", { class: "studio-bar" }, bar), weight),
          node,
          bar,
          weight,
          code: null,
        };
      });
      list.replaceChildren(...chips.map(({ item }) => item));
    },
    paint(codes) {
      const { palette } = studio;
      chips.forEach((chip, i) => {
        const code = i < codes.length ? codes[i] : CODE_MASKED;
        const under = `${code} ${palette.under}`;
        if (chip.code === under) return;
        chip.code = under;
        const weight = weightOf(code);
        const ground = weightColour(code, palette);
        chip.node.style.background = weight ? cssColour(ground) : "";
        chip.node.style.color = weight ? wordsOn(ground, palette) : "";
        chip.bar.style.width = `${weight * 100}%`;
        chip.weight.textContent = shortWeight(code);
      });
    },
  };
}

export const components = { decoding_path: decodingPath };
