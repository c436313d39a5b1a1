// Runs texts beside the page, so that no key waits for them.

import { answerTo } from "./answer.js";
import { createModels } from "./models.js";

const models = createModels();

self.addEventListener("message", async ({ data }) => {
  /** @type {import("./types").Asked} */
  const { model, text, interventions } = data;
  try {
    const answer = answerTo(await models.get(model), text, interventions);
    const buffers = Object.values(answer?.tensors ?? {}).map((tensor) => tensor.data.buffer);
    self.postMessage({ answer }, { transfer: [...new Set(buffers)] });
  } catch (error) {
    self.postMessage({ wrong: String(error) });
  }
});
