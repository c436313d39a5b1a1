// A training that plays: every head of one kind at each snapshot, beside curves with a moving cursor.
// All snapshots are sent at once. Python receives only which head is chosen and where the player comes to rest.

import { clamp, element, followWidth } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { lapseCurves } from "./lapse_curves.js";
import { createHeads } from "./lapse_heads.js";
import { createPlayer } from "./lapse_player.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function lapse(loupe, { host, listen, signal, save }) {
  const view = {
    /** @type {import("./wire").WireLapse | null} */
    meta: null,
    codes: null,
    now: 0, // index of the snapshot in view
    trigger: (_event, _value) => {},
    last: () => view.meta.steps.length - 1,
  };
  const side = element("div", { class: "loupe-lapse-curves" });
  const heads = createHeads(view);
  const curves = lapseCurves(side, (step) => player.seek(nearestSnapshot(view.meta.steps, step)));
  // Draw what changes from snapshot to snapshot.
  const drawNow = () => {
    player.draw();
    heads.draw();
    curves.point(view.now);
  };
  const player = createPlayer(view, drawNow, signal);
  host.append(player.node, element("div", { class: "loupe-lapse-body" }, heads.node, side));

  const drawAll = () => {
    if (!view.meta || !host.clientWidth) return;
    heads.build();
    curves.draw(view.meta);
    drawNow();
  };
  const press = (event) => {
    if (view.meta && host.clientWidth) player.press(event, event.composedPath().includes(host));
  };
  loupe.root.addEventListener("keydown", press, { capture: true, signal });
  followWidth(host, drawAll, signal);
  listen((what) => what === "run" && drawAll());
  save({ name: say("training.saved"), table: () => curvesTable(view.meta) });

  return (data, setTriggerValue) => {
    view.trigger = setTriggerValue;
    const before = view.meta;
    const isAtEnd = before && view.now === view.last();
    view.meta = data.meta;
    view.codes = data.codes.getChild("code").toArray();
    const { steps, at, follow } = view.meta;
    if (isAnother(before, view.meta))
      view.now = at === null ? view.last() : nearestSnapshot(steps, at);
    else if (follow && isAtEnd) player.chase();
    view.now = clamp(view.now, steps.length);
    drawAll();
  };
}

// Return whether a training is another one, and not the previous one continued.
function isAnother(before, { steps }) {
  return !before || before.steps[0] !== steps[0] || before.steps.length > steps.length;
}

function nearestSnapshot(steps, step) {
  const distances = steps.map((each) => Math.abs(each - step));
  return distances.indexOf(Math.min(...distances));
}

/** @param {import("./wire").WireLapse} data */
function curvesTable({ steps, loss, heldOut, exact, alignment }) {
  const along = (name, values) => values.map((value, i) => [name, steps[i], value]);
  return tableOf({ curve: "text", step: "whole", value: "double" }, [
    ...loss.values.map((value, i) => ["loss in training", loss.steps[i], value]),
    ...loss.rates.map((value, i) => ["learning rate", loss.steps[i], value]),
    ...along("held-out loss", heldOut),
    ...along("exact match", exact),
    ...alignment.flatMap(({ layer, head, values }) =>
      along(`gold token, L${layer} H${head}`, values),
    ),
  ]);
}

export const components = { lapse };
