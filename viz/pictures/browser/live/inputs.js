// Runs once more, in the browser's own model, what Python ran: what is then chosen is drawn before Python answers.
// Of a large model, which the worker beside the page runs, it draws only how much of it is here.

import { keepOwn, ownTensors } from "../tensors.js";
import { canDo } from "../twin/changes.js";
import { editsFor } from "../twin/decoding.js";
import { traceOf } from "../twin/trace.js";
import { createComing } from "./coming.js";
import { createModels } from "./models.js";
import { createRunner } from "./runner.js";
import { createTyped } from "./typed.js";

const INPUTS_KEPT = 8;
const MOST_TOKENS = 160; // of both texts: a longer run takes more than some frames

/** Keeps what the latest runs were made of, by their keys, if the browser can run them.
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
    if (data.model.in_parts) return; // what is chosen in Python's run is drawn from what Python sent
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

/** Whether the browser's own model runs this soon enough.
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
