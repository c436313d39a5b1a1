// Asks the browser's own model for runs, one text at a time: what is overtaken is dropped.

/** @typedef {import("./types").Asked} Asked */
/** @typedef {import("./types").Answer} Answer */

/**
 * @param {ReturnType<typeof import("./beside.js").createBeside>} beside
 * @param {(answer: Answer | null) => void} take each answer; null where the text has too many tokens
 * @param {(fault: any) => void} fail hears why there is none
 */
export function createAsker(beside, take, fail) {
  /** @type {Asked | null} what is being answered */
  let current = null;
  /** @type {Asked | null} */
  let waiting = null;
  let known = ""; // the model that was asked last
  const send = () => beside.ask({ do: "run", ...current }, answered, failed);
  const goOn = () => {
    current = waiting;
    waiting = null;
    if (current) send();
  };
  const answered = (answer) => {
    goOn();
    take(answer);
  };
  const failed = (fault) => {
    goOn();
    fail(fault);
  };
  return {
    /** @param {Asked} asked */
    ask(asked) {
      known = asked.model.key;
      if (current) waiting = asked;
      else {
        current = asked;
        send();
      }
    },
    /** Whether a model was asked already: the first answer takes longer.
     * @param {import("../wire").WireModel} model
     */
    knows: (model) => model.key === known,
  };
}
