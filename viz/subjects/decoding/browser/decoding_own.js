// Decoding without Python: what is played is written, drawn and taken another way in the browser alone.

import { choice, element } from "../../../pictures/browser/elements.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { components as others } from "./branches.js";
import { branchOf, forced, forksTo, packPath, writePath } from "./own_path.js";
import { components as players } from "./player.js";
import { createStudio, components as studios } from "./studio.js";

/** @typedef {import("../../../pictures/browser/live/types").Answer} Answer */
/** @typedef {import("./own_path").Strategy} Strategy */

/** Places of the slider: finer below 1. */
export const TEMPERATURES = [
  ...Array.from({ length: 20 }, (_, i) => (i + 1) / 20),
  ...Array.from({ length: 10 }, (_, i) => (i + 11) / 10),
  ...Array.from({ length: 6 }, (_, i) => (i + 5) / 2),
];
export const LAST_SEED = 999_999;

/** @type {Strategy["mode"][]} */
const MODES = ["Greedy", "Sampling"];
let sentences = 0; // that were shown: the keys of their paths are their own

/** Begin the page.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {HTMLElement} host
 * @param {import("../../../pictures/browser/live/models").Kept} kept
 * @returns {(answer: Answer) => void} shows another sentence, whose run is in view
 */
export function begin(loupe, host, kept) {
  const studio = loupe.part(createStudio);
  const places = createPlaces();
  host.append(...Object.values(places));
  /** @type {Answer} */
  let answer = null;
  /** @type {Strategy} */
  let strategy = { mode: "Greedy", drawn: studio.shaping, seed: 0 };

  const put = (name, setup, data) =>
    loupe.mount(name, setup, { data, parentElement: places[name], setTriggerValue: heard });
  const write = (prefix) => writePath(kept.model, answer.read.ids, strategy, prefix);
  /** The path that begins with some ids. @param {number[]} prefix */
  const written = (prefix) => {
    const { mode } = strategy;
    const key = JSON.stringify([sentences, strategy, prefix]);
    const how = { key, mode, count: prefix.length };
    if (!studio.paths.has(key))
      put("decoding_path", studios.decoding_path, packPath(kept, answer, write(prefix), how));
    return studio.paths.get(key);
  };
  /** @param {number} at the step to begin at @param {number[]} ids that it begins with @param {number[]} forks */
  const play = (at, ids = [], forks = []) => {
    const base = written([]);
    const played = written(forced(ids, forks));
    const shown = playerData(played.key, at, strategy, studio.shaping);
    const { languages } = loupe.run();
    put("decoding_player", players.decoding_player, { ...shown, languages });
    const { target } = kept.tokenizers.naming(answer.read);
    const branches = [branchOf(target, base, [])];
    if (forks.length) branches.push(branchOf(target, played, forks));
    put("decoding_branches", others.decoding_branches, { mode: strategy.mode, branches });
    const choose = (mode) => change({ mode }, studio.step);
    places.choice.replaceChildren(modeChoice(strategy.mode, choose));
  };
  const change = (changes, at) => {
    strategy = { ...strategy, ...changes };
    play(at);
  };
  const heard = (event, { step, token, seed }) => {
    if (event === "draw") change({ drawn: studio.shaping, seed }, step);
    if (event !== "take") return;
    const ids = [...studio.path().ids.slice(0, step), token];
    play(step, ids, forksTo(write, ids));
  };
  return (next) => {
    answer = next;
    sentences++;
    play(loupe.selection.step);
  };
}

const createPlaces = () => ({
  choice: element("div", { class: "loupe-tools" }),
  decoding_path: element("div"),
  decoding_player: element("div"),
  decoding_branches: element("div"),
});

function modeChoice(mode, choose) {
  /** @type {[Strategy["mode"], string][]} */
  const modes = MODES.map((one) => [one, sayOf("decoding.mode", one)]);
  return choice(say("decoding.written_by"), modes, mode, choose);
}

/** What the player is told of a path.
 * @param {string} path
 * @param {number} at
 * @param {Strategy} strategy
 * @param {Strategy["drawn"]} shaping
 */
const playerData = (path, at, { mode, drawn, seed }, shaping) => ({
  path,
  mode,
  at,
  shaping: shapingList(shaping),
  drawn: [...shapingList(drawn), seed],
  temperatures: TEMPERATURES,
  lastSeed: LAST_SEED,
});

const shapingList = ({ temperature, topK, topP }) => [temperature, topK, topP];
