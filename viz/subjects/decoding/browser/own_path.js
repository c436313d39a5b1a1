// Packs a path that the browser's own model wrote in the worker, in the form in which Python sends one.

/** @typedef {import("../../../pictures/browser/live/types").Answer} Answer */
/** @typedef {import("../../../pictures/browser/live/types").PathWritten} PathWritten */
/** @typedef {import("../../../pictures/browser/live/models").Kept} Kept */

/** Pack a path.
 * @param {Kept} kept
 * @param {Answer} answer the answer for the same source
 * @param {PathWritten} path
 * @param {{key: string, mode: import("./wire").Mode, count: number}} how the first `count` ids were forced
 * @returns {import("./studio").PathParcel}
 */
export function packPath({ model, tokenizers, smoothing }, answer, path, { key, mode, count }) {
  const { config } = model;
  const { target } = tokenizers.naming(answer.read);
  const { ids, prompt, finished, logs, ranks, size, sent, temperatures, handed } = path;
  const known = new Set([...ids, ...handed.id]);
  const names = Array.from(known, (id) => /** @type {const} */ ([id, target.token(id)]));
  const isSame = String(ids) === String(answer.written);
  return {
    meta: {
      key,
      mode,
      given: false,
      isRun: mode === "Greedy" && !count && isSame,
      source: answer.tokens.source,
      vocabulary: Object.fromEntries(names),
      copies: names
        .map(([, token]) => token)
        .filter(tokenizers.isStandIn)
        .sort(),
      smoothing,
      begin: answer.tokens.target[0],
      ids,
      length: ids.length,
      prompt,
      finished,
      forced: ids.map((_, step) => step < Math.max(count, prompt)),
      logs,
      size,
      sent,
      ranks,
      temperatures,
      layers: config.n_decoder_layers,
      heads: config.n_heads,
    },
    ranked: table({ id: handed.id, logit: handed.logit }),
    others: table({ sum: handed.sum, weighted: handed.weighted }),
    codes: table({ code: handed.code }),
  };
}

/** Return what a path writes, in the form in which a branch is sent.
 * @param {{ids: number[], prompt: number, vocabulary: Record<string, string>, logs: number[], finished: boolean}} path
 * @param {string} text
 * @param {number[]} forks steps whose token was taken
 * @returns {import("./wire").WireBranch}
 */
export function branchOf({ ids, prompt, vocabulary, logs, finished }, text, forks) {
  const written = ids.slice(prompt);
  return {
    text,
    ids: written,
    tokens: written.map((id) => vocabulary[id]),
    logs: logs.slice(prompt),
    prompt,
    forks: forks.map((step) => step - prompt),
    finished,
  };
}

/** @returns {import("../../../pictures/browser/types").ArrowTable<any>} */
const table = (columns) => ({ getChild: (name) => ({ toArray: () => columns[name] }) });
