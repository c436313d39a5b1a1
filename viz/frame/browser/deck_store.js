// Keeps the deck in this browser, one for all tabs. Each change is made to the stored deck, so no tab undoes another's.

import { DeckFault, emptyDeck, readDeck, writeDeck } from "./deck.js";

const KEPT = "loupe.deck";
const UNREAD = "loupe.deck.unread"; // stored text that is not a deck, kept because a person may still need it

/** @typedef {import("./deck.js").Deck} Deck */

/** Keep a deck in a storage.
 * @param {() => Pick<Storage, "getItem" | "setItem">} storage may throw, because some browsers refuse storage
 */
export function createStore(storage) {
  let memory = null; // the text, if the browser stores nothing
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
    /** Return whether the deck outlives this tab. */
    isKept: () => memory === null,
    /** Change the current deck, whoever changed it last.
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

/** Return the deck in a stored text, or an empty one. @returns {Deck} */
function deckIn(text) {
  return readable(text) ?? emptyDeck();
}

// Pages may be renamed. A slide of an unknown page is kept, although it leads nowhere.
function readable(text) {
  try {
    return text === null ? null : readDeck(text, null);
  } catch (error) {
    if (error instanceof DeckFault) return null;
    throw error;
  }
}

/** Make the deck of this browser, one for all pictures of a page.
 * @returns {ReturnType<typeof createStore>}
 */
export const deckStore = () => createStore(() => window.localStorage);

/** Keep the data that the app sends for code that reads or writes slides; the data is null at first.
 * @returns {{data: import("../../pictures/browser/wire").WireDeck | null, told: Set<() => void>, keep: () => string}}
 */
export const deckApp = () => ({ data: null, told: new Set(), keep: () => "" });
