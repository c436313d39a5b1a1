// Asks the browser's own model one task at a time. A waiting task is replaced by a newer one.

/**
 * @template {import("./types").Task} T
 * @param {{ask(task: T, done: (answer: any) => void, fail: (fault: any) => void): void}} beside
 * @param {(answer: any, asked: T) => void} take called with each answer
 * @param {(fault: any, asked: T) => void} fail called with the reason if there is no answer
 */
export function createAsker(beside, take, fail) {
  /** @type {T | null} the task in progress */
  let current = null;
  /** @type {T | null} */
  let waiting = null;
  let known = ""; // key of the model that was asked last
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
    /** Return whether the model was the last one asked. Its first answer takes longer.
     * @param {import("../wire").WireModel} model
     */
    knows: (model) => model.key === known,
  };
}
