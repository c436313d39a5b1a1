// Requests from the worker beside the page the tensors from which the numbers of the opened head are recomputed, for a
// model whose parameters only the worker has. Draws nothing.

import { layerNumber } from "../run.js";
import { createAwaited, keepHead } from "../tensors.js";
import { neededFor } from "../twin/head.js";
import { createAsker } from "./asking.js";
import { createBeside } from "./beside.js";

/** @typedef {import("./types").AskedHead} AskedHead */

/** @type {import("../types").Setup} */
function opened(loupe, { listen }) {
  const now = loupe.part(createAwaited);
  /** @type {import("../wire").WireModel | null} */
  let model = null;
  const follow = () => {
    const wanted = model && wantedOf(loupe, model);
    if (!wanted) now.head = null;
    else if (!isSame(wanted, now.head)) {
      now.head = wanted;
      asker.ask(wanted);
    }
  };
  const asker = createAsker(
    loupe.part(createBeside),
    (answer, asked) => {
      if (asked !== now.head) return; // another run or head is shown now
      now.head = null;
      keepHead(loupe, loupe.selection.run, nameOf(loupe.selection), answer.tensors);
      loupe.tell("trace");
    },
    (fault, asked) => {
      if (asked !== now.head) return;
      now.head = null;
      console.error("loupe: the browser cannot recompute this head", fault);
      loupe.tell("trace");
    },
  );
  listen((what) => (what === "run" || what === "selection") && follow());
  return (data) => {
    model = data.model;
    follow();
  };
}

const nameOf = ({ kind, layer, head }) => `${kind} ${layer} ${head}`;

// Return the request for the missing tensors of the current head, or null if none are missing.
/** @returns {AskedHead | null} */
function wantedOf(loupe, model) {
  if (!loupe.selection) return null; // it arrives later
  const { run, head } = loupe.selection;
  const [traced, stack] = [loupe.traces.get(run), loupe.stack()];
  if (!traced?.answer || !stack || traced.model || traced.heads.has(nameOf(loupe.selection)))
    return null;
  const at = String(layerNumber(stack, loupe.selection.layer));
  const path = stack.name.replace("{layer}", at).replace(/\.weights$/, "");
  const tensors = Object.fromEntries(neededFor(path).map((name) => [name, traced.tensors[name]]));
  return { do: "head", model, path, head, tensors };
}

// Return whether two requests are for the same head of the same run.
const isSame = (one, other) =>
  other !== null &&
  one.path === other.path &&
  one.head === other.head &&
  neededFor(one.path).every((name) => one.tensors[name] === other.tensors[name]);

export const components = { opened };
