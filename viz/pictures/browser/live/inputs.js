// Repeats Python's run in the browser's own model, so that later choices are drawn before Python answers. For a large
// model, which the worker beside the page runs, it only shows how much is loaded.

import { keepOwn, ownTensors } from "../tensors.js";
import { canDo } from "../twin/changes.js";
import { editsFor } from "../twin/decoding.js";
import { traceOf } from "../twin/trace.js";
import { createComing } from "./coming.js";
import { createModels } from "./models.js";
import { createRunner } from "./runner.js";
import { createTyped } from "./typed.js";

const INPUTS_KEPT = 8;
const MOST_TOKENS = 160; // of both texts together, because a longer run takes more than a few frames

/** Keep the inputs of the latest runs that the browser can repeat, by run key.
 * @returns {Map<string, import("../wire").WireInputs>}
 */
export const createInputs = () => new Map();

/** @type {import("../types").Setup} */
function inputs(loupe, { signal }) {
  const models = loupe.part(createModels);
  const typed = loupe.part(createTyped);
  loupe.runner = loupe.part(createRunner);
  /** @type {import("../wire").WireInputs | null} */
  let sent = null;
  const coming = createComing(loupe, signal);
  typed.failed = (fault) => {
    if (!sent?.model.in_parts) return report(fault);
    if (fault.name !== "AbortError") coming.fail(fault);
  };
  signal.addEventListener("abort", () => typed.forget(sent));
  window.addEventListener("popstate", typed.goBack, { signal });
  /** @param {import("../wire").WireInputs} data */
  return async (data) => {
    sent = data;
    typed.learn(data);
    coming.follow(data.model);
    if (data.model.in_parts) return; // choices in Python's run are drawn from the tensors that Python sent
    learn(loupe.part(createInputs), data);
    try {
      const isNew = !models.at(data.model.key);
      const { model } = await models.get(data.model);
      await untilIdle();
      if (signal.aborted) return;
      const known = loupe.traces.get(data.run);
      if (known) known.model = model;
      if (!known?.whole && canTrace(data)) keep(loupe, data.run, model, data);
      else if (!known && !isNew) return;
      loupe.tell("trace");
    } catch (error) {
      if (!signal.aborted && error.name !== "AbortError") report(error);
    }
  };
}

const report = (fault) => console.error("loupe: the browser cannot run this model", fault);

function learn(known, data) {
  known.delete(data.run); // the latest comes last
  known.set(data.run, data);
  if (known.size > INPUTS_KEPT) known.delete(known.keys().next().value);
}

/** Return whether the browser's own model can repeat a run fast enough.
 * @param {import("../wire").WireInputs} data
 */
export const canTrace = ({ source, written, interventions }) =>
  written.length > 0 && source.length + written.length <= MOST_TOKENS && interventions.every(canDo);

function keep(loupe, run, model, { source, written, given, longest, interventions }) {
  const edits = editsFor(model, source, interventions, { longest, given: given ? written : [] });
  keepOwn(loupe, run, ownTensors(model, traceOf(model, source, written, edits)));
}

const untilIdle = () =>
  new Promise((done) => {
    if ("requestIdleCallback" in window) requestIdleCallback(done);
    else setTimeout(done);
  });

export const components = { inputs };
