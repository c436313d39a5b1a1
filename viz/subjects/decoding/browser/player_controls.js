// The controls of the player: steps, playing, and the position.

import { element, pushButton } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";

const ICONS = {
  back: "M11 3v10L4 8z",
  play: "M4 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5 3v10l7-5z",
};

export function playerControls(studio, { go, toggle }) {
  const back = iconButton("back", say("decoding.back"), "←", () => go(studio.step - 1));
  const middle = iconButton("play", say("decoding.play"), say("decoding.key_space"), toggle);
  middle.classList.add("studio-play");
  const forward = iconButton("forward", say("decoding.forward"), "→", () => go(studio.step + 1));
  const range = stepRange(go);
  const where = element("output", { class: "studio-where" });
  const all = [back, middle, forward, range, where];
  const note = element("p", { class: "loupe-note" });
  let playing = null;
  return {
    node: element(
      "div",
      {},
      element("div", { class: "studio-controls", "data-unsaved": "" }, ...all),
      note,
    ),
    /** @param {import("./studio").Path} path */
    build(path) {
      range.max = String(path.steps - 1);
      range.disabled = path.steps < 2;
      note.hidden = path.steps === path.length;
      note.textContent = say("decoding.played_part", { count: path.steps, steps: path.length });
    },
    /** @param {import("./studio").Path} path */
    state(path) {
      range.value = String(studio.step);
      where.textContent = say("decoding.place", { step: studio.step, last: path.steps - 1 });
      back.disabled = studio.step === 0;
      forward.disabled = studio.isLast();
      if (playing === studio.playing) return;
      playing = studio.playing;
      const words = playing ? say("decoding.pause") : say("decoding.play");
      middle.replaceChildren(icon(playing ? "pause" : "play"));
      middle.setAttribute("aria-label", words);
      middle.title = `${words} (${say("decoding.key_space")})`;
    },
  };
}

function icon(name) {
  return element(
    "svg:svg",
    { viewBox: "0 0 16 16", "aria-hidden": "true" },
    element("svg:path", { d: ICONS[name] }),
  );
}

function iconButton(name, words, key, onclick) {
  const title = `${words} (${key})`;
  return pushButton({ class: "studio-button", title, "aria-label": words, onclick }, icon(name));
}

function stepRange(go) {
  const range = element("input", {
    type: "range",
    min: 0,
    step: 1,
    class: "studio-scrubber",
    "aria-label": say("decoding.scrubber"),
    oninput: () => go(Number(range.value)),
  });
  return range;
}
