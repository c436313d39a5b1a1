// Third-party tokenizers with the library that runs them, loaded only for models that need it.

import { readForeignTokenizers } from "./foreign.js";
import { LIBRARY } from "./vendor/tokenizers.js";

/** Read the tokenizers of a third-party model.
 * @param {any} json
 */
export const readForeign = (json) => readForeignTokenizers(json, /** @type {any} */ (LIBRARY));
