// Asks the browser's own model, beside the page where that can be, one text at a time: what is overtaken is dropped.

import { answerTo } from "./answer.js";

/** @typedef {import("./types").Asked} Asked */
/** @typedef {import("./types").Answer} Answer */

/**
 * @param {import("./models").Models} models those of the page, where nothing runs beside it
 * @param {(answer: Answer | null) => void} take each answer; null where the text has too many tokens
 */
export function createAsker(models, take) {
  let worker = null;
  /** @type {Asked | null} what is being answered */
  let current = null;
  /** @type {Asked | null} */
  let waiting = null;
  let known = ""; // the model that was asked last
  const answered = ({ answer = null, wrong = null }) => {
    current = waiting;
    waiting = null;
    if (current) send(current);
    if (wrong) console.error("loupe: the browser cannot run this text", wrong);
    else take(answer);
  };
  const send = (asked) => {
    worker ??= begin();
    worker.postMessage(asked);
  };
  const begin = () => {
    try {
      const made = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      made.addEventListener("message", ({ data }) => answered(data));
      made.addEventListener("error", goOnHere);
      return made;
    } catch {
      return onPage(models, answered);
    }
  };
  // A page that was opened from a disk may start no worker, and says so only afterwards.
  const goOnHere = (event) => {
    event.preventDefault();
    worker = onPage(models, answered);
    if (current) worker.postMessage(current);
  };
  return {
    /** @param {Asked} asked */
    ask(asked) {
      known = asked.model.key;
      if (current) waiting = asked;
      else {
        current = asked;
        send(asked);
      }
    },
    /** Whether a model was asked already: the first answer takes longer.
     * @param {import("../wire").WireModel} model
     */
    knows: (model) => model.key === known,
  };
}

const onPage = (models, answered) => ({
  /** @param {Asked} asked */
  async postMessage({ model, text, interventions }) {
    try {
      answered({ answer: answerTo(await models.get(model), text, interventions) });
    } catch (error) {
      answered({ wrong: String(error) });
    }
  },
});
