// Asks the model beside the page, one text at a time: what is overtaken while one is answered is dropped.

/** @typedef {import("./types").Asked} Asked */
/** @typedef {import("./types").Answer} Answer */

/** @param {(answer: Answer | null) => void} take each answer; null where there is none to the text that was asked */
export function createAsker(take) {
  let worker = null;
  let isBusy = false;
  /** @type {Asked | null} */
  let waiting = null;
  const send = (asked) => {
    isBusy = true;
    worker ??= begin();
    worker.postMessage(asked);
  };
  const answered = ({ data }) => {
    isBusy = false;
    const next = waiting;
    waiting = null;
    if (next) send(next);
    if (data.wrong) console.error("loupe: the browser cannot run this text", data.wrong);
    take(data.answer ?? null);
  };
  const begin = () => {
    const made = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    made.addEventListener("message", answered);
    made.addEventListener("error", () => answered({ data: { wrong: "no worker" } }));
    return made;
  };
  return {
    /** @param {Asked} asked */
    ask(asked) {
      if (isBusy) waiting = asked;
      else send(asked);
    },
    end: () => worker?.terminate(),
  };
}
