// How long the page waits for a third-party tokenizer. Its rules come from a file and may take minutes for some texts.
// JavaScript cannot interrupt them, so the page ends the worker in which they run.

const TICK_MS = 1000; // counted one by one, so that the time in which the page was suspended does not count
const TICKS = { text: 10, model: 60 }; // because a large vocabulary takes some seconds on a slow phone

/** Return a function that runs a piece of a tokenizer's work, and tells the page when it begins and ends.
 * @param {(message: object) => void} post
 * @param {number | null} number the number of the task for which it works; null while a model loads
 * @returns {<T>(work: () => T) => T}
 */
export const announced = (post, number) => (work) => {
  post({ number, works: true });
  try {
    return work();
  } finally {
    post({ number, works: false });
  }
};

/** Announce every encoding and decoding by the tokenizers of a model.
 * @param {import("../twin/text/types").Tokenizers} tokenizers
 * @param {ReturnType<typeof announced>} announce
 * @returns {import("../twin/text/types").Tokenizers}
 */
export const announcing = (tokenizers, announce) => ({
  ...tokenizers,
  encodeSource: (text) => announce(() => tokenizers.encodeSource(text)),
  encodePrompt: (text) => announce(() => tokenizers.encodePrompt(text)),
  naming(read) {
    const named = tokenizers.naming(read);
    const { target } = named;
    if (!target) return named;
    const decode = (ids) => announce(() => target.decode(ids));
    return { ...named, target: { ...target, decode } };
  },
});

/** Make the timer that watches the tokenizers of a worker.
 * @param {(number: number | null, seconds: number) => void} giveUp called with the task whose time is over
 */
export function createPatience(giveUp) {
  let timer = null;
  const end = () => clearTimeout(timer);
  const wait = (number, all, left) => {
    timer = setTimeout(() => {
      if (left > 1) wait(number, all, left - 1);
      else giveUp(number, (all * TICK_MS) / 1000);
    }, TICK_MS);
  };
  return {
    /** Take an announcement of the worker. @param {{number: number | null, works: boolean}} told */
    hear({ number, works }) {
      end();
      const ticks = number === null ? TICKS.model : TICKS.text;
      if (works) wait(number, ticks, ticks);
    },
  };
}
