// Where the deck is kept: in this browser, one for all tabs. Each change is made to what is kept then, so that no tab undoes another's.

import { DeckFault, emptyDeck, readDeck, writeDeck } from "./deck.js";

const KEPT = "loupe.deck";
const UNREAD = "loupe.deck.unread"; // what stood there and is no deck: not ours to throw away

/** @typedef {import("./deck.js").Deck} Deck */

/** Keep a deck in a storage.
 * @param {() => Pick<Storage, "getItem" | "setItem">} storage may fail: some browsers refuse it
 */
export function createStore(storage) {
  let memory = null; // the text, where the browser keeps none
  const listeners = new Set();

  const textOf = (key) => {
    try {
      return storage().getItem(key);
    } catch {
      return null;
    }
  };
  const put = (key, text) => {
    try {
      storage().setItem(key, text);
      return true;
    } catch {
      return false;
    }
  };
  const read = () => deckIn(memory ?? textOf(KEPT));
  const write = (deck) => {
    const before = textOf(KEPT);
    if (before !== null && !readable(before)) put(UNREAD, before);
    const text = writeDeck(deck);
    memory = put(KEPT, text) ? null : text;
    for (const listener of listeners) listener();
  };

  return {
    read,
    /** Whether the deck outlives this tab. */
    isKept: () => memory === null,
    /** Change the deck as it is now, whoever changed it last.
     * @param {(deck: Deck) => Deck} make
     */
    change: (make) => write(make(read())),
    /** @param {() => void} listener @param {AbortSignal} signal */
    listen(listener, signal) {
      listeners.add(listener);
      signal.addEventListener("abort", () => listeners.delete(listener));
      window.addEventListener("storage", ({ key }) => key === KEPT && listener(), { signal });
    },
  };
}

/** What is kept, as far as it is a deck. @returns {Deck} */
function deckIn(text) {
  return readable(text) ?? emptyDeck();
}

// Pages may be called differently tomorrow: then a slide leads nowhere, and stays.
function readable(text) {
  try {
    return text === null ? null : readDeck(text, null);
  } catch (error) {
    if (error instanceof DeckFault) return null;
    throw error;
  }
}

/** The deck of this browser: one for all pictures of a page.
 * @returns {ReturnType<typeof createStore>}
 */
export const deckStore = () => createStore(() => window.localStorage);

/** What the app says of itself to whoever reads or writes slides: null until it has.
 * @returns {{data: import("../../pictures/browser/wire").WireDeck | null, told: Set<() => void>, keep: () => string}}
 */
export const deckApp = () => ({ data: null, told: new Set(), keep: () => "" });
