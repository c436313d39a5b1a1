// The links of Start: to another stage, to every number of the row in question, to a sentence of the reader's own.

import { KIND } from "./subject.js";

/** @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {any} state
 */
export function linksOf(loupe, state) {
  const cell = () => {
    const { layer, head, query, reading } = state.asked;
    const key = reading.shares.indexOf(Math.max(...reading.shares));
    return { kind: KIND, layer, head, query, key };
  };
  const link = (path, changes) => {
    const params = new URLSearchParams(location.search);
    for (const name of ["tour", "step"]) params.delete(name);
    const { source } = state.asked.reading;
    if (source !== state.sent.readings[state.sent.current].source) params.set("source", source);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) params.delete(name);
      else params.set(name, String(value));
    }
    return `${path}?${params}`;
  };
  const pageLink = (page, changes = {}) =>
    link(`${location.pathname.replace(/\/$/, "")}/${page}`, {
      ...cell(),
      scene: null,
      guess: null,
      word: null,
      ...changes,
    });
  const elsewhere = (page) => loupe.link?.(page, cell()) ?? pageLink(page);
  return {
    sceneLink: (scene) => loupe.link?.("", { scene }) ?? link(location.pathname, { scene }),
    checkLink: () => elsewhere("attention"),
    /** Return a link to the comparison with the sentence of the other meaning; null if there is none. */
    howLink() {
      const { readings, reading } = state.asked;
      const other = readings.find((one) => one.source !== reading.source && !one.given);
      if (!other || reading.given || loupe.link) return null;
      return `${pageLink("mattered", { other_sentence: other.source })}#two-sentences`;
    },
    drag: () => location.assign(elsewhere("touch")),
    ownSentence() {
      const field = /** @type {HTMLInputElement | null} */ (
        document.querySelector(".st-key-source input")
      );
      field?.scrollIntoView({ block: "center" });
      field?.select();
    },
    check(event) {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      loupe.go("attention", cell());
    },
  };
}
