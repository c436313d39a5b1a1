// Decoding without Python: a worker writes the path that is played, and the browser draws it and branches off from it.

import { choice, element, pushButton } from "../../../pictures/browser/elements.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { components as others } from "./branches.js";
import { createStatus, createWriter, TEMPERATURES } from "./own_writing.js";
import { components as players } from "./player.js";
import { createStudio } from "./studio.js";

/** @typedef {import("../../../pictures/browser/live/types").Answer} Answer */
/** @typedef {import("../../../pictures/browser/live/types").Strategy} Strategy */

/** @type {Strategy["mode"][]} */
const MODES = ["Greedy", "Sampling"];
/** The largest seed that may be chosen. */
export const LAST_SEED = 999_999;

/** Start the page.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {HTMLElement} host
 * @param {import("../../../pictures/browser/live/models").Kept} kept
 * @param {import("../../../pictures/browser/wire").WireModel} model the same model, as the worker finds it
 * @returns {(answer: Answer) => void} shows another sentence, whose run is in view
 */
export function begin(loupe, host, kept, model) {
  const studio = loupe.part(createStudio);
  const { places, status, offerMore } = createPlaces(host);
  const writer = createWriter(loupe, kept, model);
  /** @type {import("./own_writing").PathOf} */
  let asked = { answer: null, strategy: { mode: "Greedy", drawn: studio.shaping, seed: 0 } };
  let now = new AbortController(); // of the path that is being written; a new path aborts it

  const put = (name, setup, data) =>
    loupe.mount(name, setup, { data, parentElement: places[name], setTriggerValue: heard });
  /** @param {number} at the step to show first @param {number[]} ids with which the path begins */
  const play = async (at, ids = []) => {
    now.abort();
    now = new AbortController();
    const ways = { signal: now.signal, tell: status.tell };
    places.choice.replaceChildren(modeChoice(asked.strategy.mode, choose));
    status.begin();
    try {
      const found = await writer.write(asked, ids, ways);
      ways.signal.throwIfAborted();
      draw(at, found);
      status.end();
    } catch (fault) {
      if (!ways.signal.aborted) status.fail(fault);
    }
  };
  const draw = (at, { key, begins, branches }) => {
    const { languages } = loupe.run();
    const shown = playerData(key, at, asked.strategy, studio.shaping);
    put("decoding_player", players.decoding_player, { ...shown, languages });
    const { mode } = asked.strategy;
    put("decoding_branches", others.decoding_branches, { mode, branches });
    const of = asked;
    offerMore(writer.isOpen(key), () => {
      if (asked !== of) return; // another path is being written
      writer.giveRoom(asked, begins);
      play(studio.step, begins);
    });
  };
  const change = (changes, at) => {
    asked = { ...asked, strategy: { ...asked.strategy, ...changes } };
    play(at);
  };
  const choose = (mode) => change({ mode }, studio.step);
  const heard = (event, { step, token, seed }) => {
    if (event === "draw") change({ drawn: studio.shaping, seed }, step);
    if (event === "take") play(step, [...studio.path().ids.slice(0, step), token]);
  };
  return (answer) => {
    asked = { ...asked, answer };
    const step = Math.max(loupe.selection.step, answer.prompt); // a prompt is not written
    loupe.selection = { ...loupe.selection, step };
    play(step);
  };
}

function createPlaces(host) {
  const [player, branches] = [element("div"), element("div")];
  const choice = element("span");
  const text = say("decoding.write_more");
  const more = pushButton({ class: "studio-text-button", hidden: true }, text);
  const status = createStatus(player);
  const tools = element("div", { class: "loupe-tools" }, choice, more, status.node);
  host.append(tools, player, branches);
  return {
    places: { choice, decoding_player: player, decoding_branches: branches },
    status,
    /** Offer to continue a path, if that is possible. @param {boolean} canGoOn @param {() => void} goOn */
    offerMore(canGoOn, goOn) {
      more.hidden = !canGoOn;
      more.onclick = goOn;
    },
  };
}

function modeChoice(mode, choose) {
  /** @type {[Strategy["mode"], string][]} */
  const modes = MODES.map((one) => [one, sayOf("decoding.mode", one)]);
  return choice(say("decoding.written_by"), modes, mode, choose);
}

/** Return what the player needs to know about a path.
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
