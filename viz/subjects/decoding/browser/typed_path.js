// While a text is typed in the app, plays what the browser's own model writes for it, until Python's path has arrived.

import { MOST_CONTINUED } from "../../../pictures/browser/live/answer.js";
import { createModels } from "../../../pictures/browser/live/models.js";
import { typedNow } from "../../../pictures/browser/run.js";
import { hasEncoder } from "../../../pictures/browser/twin/config.js";
import { createStatus, createWriter } from "./own_writing.js";
import { createStudio } from "./studio.js";

/** @typedef {import("../../../pictures/browser/live/types").Strategy} Strategy */

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingTyped(loupe, { host, listen, signal }) {
  const studio = loupe.part(createStudio);
  /** @type {import("./wire").WireTyped | null} */
  let sent = null;
  let latest = null; // the answer whose path is written or played
  let now = new AbortController(); // of the path that is being written
  const status = createStatus(host.closest(".st-key-card_decoding_player") ?? host);
  const writerOf = createWriters(loupe);
  host.append(status.node);
  const end = () => {
    now.abort();
    status.end();
    latest = null;
  };
  const play = async (answer, strategy) => {
    end();
    latest = answer;
    now = new AbortController();
    const ways = { signal: now.signal, tell: status.tell };
    const writer = writerOf(sent.model);
    status.begin();
    try {
      const { key } = await writer.write({ answer, strategy }, [], ways);
      ways.signal.throwIfAborted();
      studio.typed = { ...studio.told, path: key, at: answer.prompt };
      studio.tell("typed");
      status.end();
    } catch (fault) {
      if (!ways.signal.aborted) status.fail(fault);
    }
  };
  const leave = () => {
    end();
    if (!studio.typed) return;
    studio.typed = null;
    studio.tell("typed");
  };
  const follow = (isNew = false) => {
    const answer = typedNow(loupe);
    const strategy = strategyOf(studio.told);
    if (answer?.isTyped && strategy) return answer === latest || play(answer, strategy);
    // The path of a typed text stays until Python's path of the run in view has arrived.
    if (isNew || loupe.selection?.run === sent?.run) leave();
  };
  listen((what) => what === "run" && sent && follow());
  signal.addEventListener("abort", leave);
  return (data) => {
    sent = data;
    follow(true);
  };
}

// Return how Python wrote the path that it sent, if the browser can write that way.
/** @returns {Strategy | null} */
function strategyOf(told) {
  if (told?.mode !== "Greedy" && told?.mode !== "Sampling") return null;
  const [temperature, topK, topP, seed] = told.drawn;
  return { mode: told.mode, drawn: { temperature, topK, topP }, seed };
}

// Create one writer per model, because a writer remembers what it wrote.
function createWriters(loupe) {
  let key = "";
  let made = null;
  /** @param {import("../../../pictures/browser/wire").WireModel} model */
  return (model) => {
    if (key !== model.key) {
      const kept = loupe.part(createModels).at(model.key);
      const room = hasEncoder(kept.model.config) ? null : MOST_CONTINUED; // as in Python's run
      made = createWriter(loupe, kept, model, room);
    }
    key = model.key;
    return made;
  };
}

export const components = { decoding_typed: decodingTyped };
