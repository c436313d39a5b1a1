// What the key/value cache holds at the step in view, as a part of the page by itself.

import { followWidth } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { playerCache } from "./player_cache.js";
import { createStudio, modeSaid } from "./studio.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingCache(loupe, { host, listen, signal, save }) {
  const studio = loupe.part(createStudio);
  const cache = playerCache(studio);
  let built = null; // key of the path that it was built for
  host.append(cache.node);

  const draw = () => {
    const path = studio.path();
    if (!path) return;
    if (built !== studio.key) cache.build(path);
    built = studio.key;
    cache.paint(path);
  };
  const look = () => {
    studio.look();
    draw();
  };
  studio.follow(signal, draw);
  listen((what) => what !== "hover" && look());
  const fit = () => {
    cache.measure();
    look();
  };
  followWidth(host, fit, signal);
  save({
    name: say("decoding.saved_cache"),
    table: () => cacheTable(studio.path()),
    said: () => modeSaid(studio),
  });
  return () => look();
}

function cacheTable({ cached, bytes }) {
  const rows = cached.map((held, step) => [step, held, bytes[step]]);
  return tableOf({ step: "whole", "positions held": "whole", bytes: "double" }, rows);
}

export const components = { decoding_cache: decodingCache };
