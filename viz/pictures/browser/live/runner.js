// Runs the text that is typed in the browser's own model, and puts the answer among the runs. Only a page with a model has
// it: pictures in a notebook, which tell what is typed all the same, would each carry the model's code.

import { TYPED } from "../run.js";
import { createBeside } from "./beside.js";
import { createModels } from "./models.js";
import { takeAnswer } from "./taken.js";

/** Make the runner of an explorer.
 * @param {import("../types").Loupe} loupe
 * @returns {import("./types").Runner}
 */
export const createRunner = (loupe) => ({
  ask: loupe.part(createBeside).ask,
  take(answer, { key }) {
    const kept = loupe.part(createModels).at(key);
    if (!loupe.run() || !kept) return false;
    takeAnswer(loupe, TYPED, answer, kept);
    return true;
  },
});
