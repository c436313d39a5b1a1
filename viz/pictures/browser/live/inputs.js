// Runs once more, in the browser's own model, what Python ran: what is then chosen is drawn before Python answers.
// Draws nothing.

import { keepTensors, ownTensors } from "../tensors.js";
import { canDo, editsOf, needsOrigin } from "../twin/changes.js";
import { translate } from "../twin/decoding.js";
import { traceOf } from "../twin/trace.js";
import { createModels } from "./models.js";
import { createTyped } from "./typed.js";

const MOST_TOKENS = 160; // of both texts: a longer run takes more than some frames

/** @type {import("../types").Setup} */
function inputs(loupe, { signal }) {
  const models = loupe.part(createModels);
  const typed = loupe.part(createTyped);
  /** @type {import("../wire").WireInputs | null} */
  let sent = null;
  signal.addEventListener("abort", () => typed.forget(sent));
  window.addEventListener("popstate", typed.goBack, { signal });
  /** @param {import("../wire").WireInputs} data */
  return async (data) => {
    sent = data;
    typed.learn(data);
    try {
      const isNew = !models.at(data.model.key);
      const { model } = await models.get(data.model);
      await untilIdle();
      if (signal.aborted) return;
      const sent = loupe.traces.get(data.run);
      if (sent) sent.model = model;
      else if (canTrace(data)) keep(loupe, data.run, model, data);
      else if (!isNew) return;
      loupe.tell("trace");
    } catch (error) {
      if (!signal.aborted) console.error("loupe: the browser cannot run this model", error);
    }
  };
}

/** @param {import("../wire").WireInputs} data */
const canTrace = ({ source, written, interventions }) =>
  written.length > 0 && source.length + written.length <= MOST_TOKENS && interventions.every(canDo);

function keep(loupe, run, model, { source, written, given, longest, interventions }) {
  const before = interventions.some(needsOrigin)
    ? translate(model, source, { longest, given: given ? written : [] })
    : null;
  const edits = editsOf(interventions, model.config, before?.weights);
  keepTensors(loupe, run, ownTensors(model, traceOf(model, source, written, edits)));
}

const untilIdle = () =>
  new Promise((done) => {
    if ("requestIdleCallback" in window) requestIdleCallback(done);
    else setTimeout(done);
  });

export const components = { inputs };
