// Third-party tokenizers with the library that runs them: fetched for models that need it, and for no other.

import { readForeignTokenizers } from "./foreign.js";
import { LIBRARY } from "./vendor/tokenizers.js";

/** Read the tokenizers of a third-party model.
 * @param {any} json
 */
export const readForeign = (json) => readForeignTokenizers(json, /** @type {any} */ (LIBRARY));
