// Lets the worker write paths, each only once, and shows the progress.

import { element } from "../../../pictures/browser/elements.js";
import { createBeside } from "../../../pictures/browser/live/beside.js";
import { ModelFault } from "../../../pictures/browser/live/parts.js";
import { forced } from "../../../pictures/browser/live/paths.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { branchOf, packPath } from "./own_path.js";
import { createStudio, components as studios } from "./studio.js";

/** The sentence of a path, and how the path is written.
 * @typedef {object} PathOf
 * @property {import("../../../pictures/browser/live/types").Answer} answer
 * @property {import("../../../pictures/browser/live/types").Strategy} strategy
 */
/** @typedef {import("../../../pictures/browser/live/types").Ways} Ways */

/** The positions of the temperature's slider, finer below 1. */
export const TEMPERATURES = [
  ...Array.from({ length: 20 }, (_, i) => (i + 1) / 20),
  ...Array.from({ length: 10 }, (_, i) => (i + 11) / 10),
  ...Array.from({ length: 6 }, (_, i) => (i + 5) / 2),
];
const ROOM = 24; // tokens that a large model writes at a time
const QUIET_MS = 200; // progress is shown only if writing takes longer

/** Create a writer, which lets the worker write paths and adds them to the studio.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {import("../../../pictures/browser/live/models").Kept} kept
 * @param {import("../../../pictures/browser/wire").WireModel} model
 * @param {number | null} room most tokens that are written at a time; null for as many as in a run
 */
export function createWriter(loupe, kept, model, room = model.in_parts ? ROOM : null) {
  const beside = loupe.part(createBeside);
  const studio = loupe.part(createStudio);
  const rooms = createRooms(room);
  const place = element("div");
  /** @type {Map<string, string>} what each path writes, by its key */
  const texts = new Map();
  /** @param {PathOf} asked @param {any} of @param {Ways} ways */
  const ask = ({ answer: { read }, strategy }, of, ways) =>
    beside.do({ model, read, strategy, temperatures: TEMPERATURES, ...of }, ways);
  /** Return the path that begins with some ids. @param {PathOf} asked @param {number[]} begins @param {Ways} ways */
  const written = async (asked, begins, ways) => {
    const { key, before, room } = rooms.of(asked, begins);
    if (!studio.paths.has(key)) {
      const known = studio.paths.get(before)?.ids ?? [];
      const path = await ask(asked, { do: "write", begins, known, room }, ways);
      if (path.isOpen) rooms.leaveOpen(key);
      texts.set(key, path.text);
      const how = { key, mode: asked.strategy.mode, count: begins.length };
      const data = packPath(kept, asked.answer, path, how);
      const sent = { data, parentElement: place, setTriggerValue: () => {} };
      loupe.mount("decoding_path", studios.decoding_path, sent);
    }
    return studio.paths.get(key);
  };
  return {
    /** Write the model's choice and, if other tokens were taken, the path that begins with these ids.
     * @param {PathOf} asked
     * @param {number[]} wanted
     * @param {Ways} ways
     */
    async write(asked, wanted, ways) {
      const forking = { do: "forks", begins: wanted, known: [], room: null };
      const base = await written(asked, [], ways);
      /** @type {number[]} */
      const forks = wanted.length ? await ask(asked, forking, ways) : [];
      const begins = forced(wanted, forks);
      const played = await written(asked, begins, ways);
      const branch = (path, taken) => branchOf(path, texts.get(path.key), taken);
      const branches = [branch(base, [])];
      if (forks.length) branches.push(branch(played, forks));
      return { key: played.key, begins, branches };
    },
    isOpen: rooms.isOpen,
    giveRoom: rooms.give,
  };
}

// Create a record of how many tokens each path has room for, and of the keys of paths with that room.
/** @param {number | null} atATime */
function createRooms(atATime) {
  /** @type {WeakMap<object, number>} each sentence that was shown has its own paths */
  const numbers = new WeakMap();
  let sentences = 0;
  /** @type {Map<string, number>} the paths that were given more room */
  const given = new Map();
  /** @param {PathOf} asked @param {number[]} begins */
  const wayOf = ({ answer, strategy }, begins) => {
    if (!numbers.has(answer)) numbers.set(answer, sentences++);
    return JSON.stringify([numbers.get(answer), strategy, begins]);
  };
  const keyOf = (way, room) => `${way} ${room}`;
  const open = new Set();
  return {
    /** Note that a path could continue. @param {string} key */
    leaveOpen: (key) => open.add(key),
    /** Return whether a path could continue, if paths are written in parts. @param {string} key */
    isOpen: (key) => atATime !== null && open.has(key),
    /** Return a path's key, its room, and its key with less room. @param {PathOf} asked @param {number[]} begins */
    of(asked, begins) {
      const way = wayOf(asked, begins);
      const room = atATime === null ? null : (given.get(way) ?? atATime);
      return { key: keyOf(way, room), before: keyOf(way, room - atATime), room };
    },
    /** Give a path more room when it is written next. @param {PathOf} asked @param {number[]} begins */
    give(asked, begins) {
      const way = wayOf(asked, begins);
      given.set(way, (given.get(way) ?? atATime) + atATime);
    },
  };
}

/** Create the line that shows how much of a path is written, or why it is not.
 * @param {HTMLElement} pending the element that shows another path until then
 */
export function createStatus(pending) {
  const node = element("p", { class: "loupe-note studio-status", role: "status" });
  let timer = null;
  let isShown = false;
  const nothing = { count: 0, text: "" };
  let written = nothing;
  const show = (isNow) => {
    clearTimeout(timer);
    isShown = isNow;
    pending.classList.toggle("studio-pending", isNow);
    node.classList.toggle("studio-status-writing", isNow);
  };
  const draw = () => {
    const count = say("decoding.writing", { count: written.count });
    node.replaceChildren(count, " ", element("bdi", {}, written.text));
  };
  const end = (words = "") => {
    show(false);
    pending.ariaBusy = "false";
    node.textContent = words;
  };
  return {
    node,
    begin() {
      written = nothing;
      pending.ariaBusy = "true";
      if (isShown) return draw();
      timer = setTimeout(() => {
        show(true);
        draw();
      }, QUIET_MS);
    },
    /** @type {Ways["tell"]} */
    tell(now) {
      written = now;
      if (isShown) draw();
    },
    end: () => end(),
    /** @param {Error} fault */
    fail: (fault) =>
      end(
        fault instanceof ModelFault
          ? sayOf("weights", fault.reason, fault.values)
          : say("decoding.not_written"),
      ),
  };
}
