// Decoding without Python: what is played is written, drawn and taken another way in the browser alone.

import { choice, element } from "../../../pictures/browser/elements.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { packPath, prefixTo, writePath } from "./own_path.js";
import { components as players } from "./player.js";
import { createStudio, components as studios } from "./studio.js";

/** @typedef {import("../../../pictures/browser/live/types").Answer} Answer */

/** Places of the slider: finer below 1. */
export const TEMPERATURES = [
  ...Array.from({ length: 20 }, (_, i) => (i + 1) / 20),
  ...Array.from({ length: 10 }, (_, i) => (i + 11) / 10),
  ...Array.from({ length: 6 }, (_, i) => (i + 5) / 2),
];
export const LAST_SEED = 999_999;

/** @type {import("./own_path").Strategy["mode"][]} */
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
  const places = {
    choice: element("div", { class: "loupe-tools" }),
    path: element("div"),
    player: element("div"),
  };
  host.append(places.choice, places.path, places.player);
  /** @type {Answer} */
  let answer = null;
  /** @type {import("./own_path").Strategy} */
  let strategy = { mode: "Greedy", drawn: studio.shaping, seed: 0 };

  const write = (prefix) => writePath(kept.model, answer.read.ids, strategy, prefix);
  const put = (name, setup, data, place) =>
    loupe.mount(name, setup, { data, parentElement: place, setTriggerValue: heard });
  /** @param {number} at the step to begin at @param {number[]} prefix that is forced */
  const play = (at, prefix = []) => {
    const { mode, drawn, seed } = strategy;
    const key = JSON.stringify([sentences, strategy, prefix]);
    const chosen = { key, mode, forced: prefix.length };
    if (!studio.paths.has(key)) {
      const parcel = packPath(kept, answer, write(prefix), chosen);
      put("decoding_path", studios.decoding_path, parcel, places.path);
    }
    const shown = {
      path: key,
      languages: loupe.run().languages,
      mode,
      at,
      shaping: shapingList(studio.shaping),
      drawn: [...shapingList(drawn), seed],
      temperatures: TEMPERATURES,
      lastSeed: LAST_SEED,
    };
    put("decoding_player", players.decoding_player, shown, places.player);
    /** @type {[import("./own_path").Strategy["mode"], string][]} */
    const modes = MODES.map((one) => [one, sayOf("decoding.mode", one)]);
    const take = (other) => change({ mode: other }, studio.step);
    places.choice.replaceChildren(choice(say("decoding.written_by"), modes, mode, take));
  };
  const change = (changes, at) => {
    strategy = { ...strategy, ...changes };
    play(at);
  };
  const heard = (event, { step, token, seed }) => {
    if (event === "draw") change({ drawn: studio.shaping, seed }, step);
    if (event !== "take") return;
    play(step, prefixTo(write, [...studio.path().ids.slice(0, step), token]));
  };
  return (next) => {
    answer = next;
    sentences++;
    play(loupe.selection.step);
  };
}

const shapingList = ({ temperature, topK, topP }) => [temperature, topK, topP];
