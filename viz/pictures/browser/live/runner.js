// Runs the typed text in the browser's own model, and stores the answer among the runs. Only pages with a model load
// this module. Pictures in a notebook also report what is typed, and would otherwise each carry the model's code.

import { TYPED } from "../run.js";
import { createBeside } from "./beside.js";
import { createModels } from "./models.js";
import { ModelFault } from "./parts.js";
import { takeAnswer } from "./taken.js";

/** Make the runner of an explorer.
 * @param {import("../types").Loupe} loupe
 * @returns {import("./types").Runner}
 */
export function createRunner(loupe) {
  const [models, beside] = [loupe.part(createModels), loupe.part(createBeside)];
  // Why models did not load, by their keys. They are not requested again. A fault of one text does not affect the next.
  /** @type {Map<string, ModelFault>} */
  const faults = new Map();
  return {
    ask(task, done, fail) {
      const { model } = task;
      const failed = (fault) => {
        const isOfModel = fault instanceof ModelFault && fault.reason !== "slow_text";
        if (model.in_parts && isOfModel) faults.set(model.key, fault);
        fail(fault);
      };
      if (faults.has(model.key)) return failed(faults.get(model.key));
      const ask = () => beside.ask(task, done, failed);
      if (!model.in_parts || models.at(model.key)) return ask();
      models.tell({ key: model.key, loaded: 0, all: 0 });
      models.get(model).then(ask, failed);
    },
    take(answer, { key }) {
      const kept = models.at(key);
      if (!loupe.run() || !kept) return false;
      takeAnswer(loupe, TYPED, answer, kept);
      return true;
    },
  };
}
