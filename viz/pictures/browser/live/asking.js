// Asks the browser's own model one task at a time: what is overtaken is dropped.

/**
 * @template {import("./types").Task} T
 * @param {{ask(task: T, done: (answer: any) => void, fail: (fault: any) => void): void}} beside
 * @param {(answer: any, asked: T) => void} take each answer
 * @param {(fault: any, asked: T) => void} fail hears why there is none
 */
export function createAsker(beside, take, fail) {
  /** @type {T | null} what is being answered */
  let current = null;
  /** @type {T | null} */
  let waiting = null;
  let known = ""; // the model that was asked last
  const send = () => {
    const asked = current;
    beside.ask(
      asked,
      (answer) => {
        goOn();
        take(answer, asked);
      },
      (fault) => {
        goOn();
        fail(fault, asked);
      },
    );
  };
  const goOn = () => {
    current = waiting;
    waiting = null;
    if (current) send();
  };
  return {
    /** @param {T} asked */
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
