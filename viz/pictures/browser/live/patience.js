// How long the page waits for a stranger's tokenizer. The rules come from a file and may take minutes for some text, and
// JavaScript cannot stop them: the page ends the worker in which they run.

const TICK_MS = 1000; // counted one by one, so that a page which slept meanwhile does not take that for waiting
const TICKS = { text: 10, model: 60 }; // a large vocabulary takes some seconds on a slow phone

/** Tell the page when a tokenizer begins a piece of work, and when it ends: whoever runs it passes the work to this.
 * @param {(message: object) => void} post
 * @param {number | null} number of the task for which it works; null while a model comes
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

/** Announce whatever the tokenizers of a model read or write.
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

/** Make what waits for the tokenizers of a worker.
 * @param {(number: number | null, seconds: number) => void} giveUp hears for which task the time was over
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
    /** Hear what a worker announces. @param {{number: number | null, works: boolean}} told */
    hear({ number, works }) {
      end();
      const ticks = number === null ? TICKS.model : TICKS.text;
      if (works) wait(number, ticks, ticks);
    },
  };
}
