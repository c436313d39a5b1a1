// The player of a training: its controls, its clock, and the keys that move it.

import { clamp, element, pushButton } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import { keyboardInUse } from "../../../pictures/browser/keyboard.js";
import { say, written } from "../../../pictures/browser/say.js";

const FRAME_MS = 420; // every snapshot is real and nothing is interpolated, so each is shown for a moment
const REST_MS = 400;

/** Create the player of `view.now`; `drawNow` is called after each move. */
export function createPlayer(view, drawNow, signal) {
  let playing = null; // timer
  let chasing = null; // timer that steps after a running training until the newest snapshot is in view
  let resting = null; // timer until Python is told where the player rests

  const stop = () => {
    clearInterval(playing);
    clearInterval(chasing);
    playing = chasing = null;
  };
  signal.addEventListener("abort", () => {
    stop();
    clearTimeout(resting);
  });
  const moveTo = (index) => {
    view.now = clamp(index, view.meta.steps.length);
    clearTimeout(resting);
    drawNow();
  };
  const seek = (index) => {
    stop();
    moveTo(index);
    resting = setTimeout(() => view.trigger("rest", view.meta.steps[view.now]), REST_MS);
  };
  const play = () => {
    stop();
    playing = setInterval(() => {
      moveTo(view.now + 1);
      if (view.now === view.last()) seek(view.now);
    }, FRAME_MS);
    moveTo(view.now === view.last() ? 0 : view.now);
  };
  const toggle = () => (playing ? seek(view.now) : play());
  const controls = createControls(toggle, seek);

  return {
    node: controls.node,
    seek,
    draw: () => controls.draw(view, playing !== null),
    press: (event, isInside) => pressKey(event, isInside, view, { toggle, seek }),
    chase() {
      if (playing || chasing) return;
      chasing = setInterval(() => {
        if (view.now < view.last()) moveTo(view.now + 1);
        if (view.now === view.last()) stop();
      }, FRAME_MS);
    },
  };
}

function createControls(toggle, seek) {
  const button = pushButton({ class: "loupe-lapse-play", onclick: toggle });
  const scrubber = element("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": say("training.snapshot"),
    oninput: () => seek(Number(scrubber.value)),
  });
  const place = element("span", { class: "loupe-lapse-step" });
  const wrote = element("span", { class: "loupe-lapse-written" });
  return {
    node: element("div", { class: "loupe-lapse-player" }, button, scrubber, place, wrote),
    draw({ meta, now, last }, isPlaying) {
      button.textContent = isPlaying ? "❚❚" : "▶";
      button.setAttribute("aria-label", isPlaying ? say("training.pause") : say("training.play"));
      scrubber.max = String(last());
      scrubber.value = String(now);
      scrubber.setAttribute("aria-valuetext", say("training.step", { step: meta.steps[now] }));
      place.replaceChildren(
        ...filled(say("training.place"), {
          step: element("b", {}, written(meta.steps[now].toLocaleString("en"))),
          total: written(meta.total.toLocaleString("en")),
        }),
      );
      const [role, sign] = meta.right[now] ? ["loupe-right", " ✓"] : ["loupe-wrong", " ✗"];
      wrote.replaceChildren(
        ...filled(say("training.writes"), {
          text: element("b", {}, meta.written[now] || say("training.writes_nothing")),
        }),
        element("i", { class: role }, sign),
      );
    },
  };
}

// Move the player by the arrow keys and the space bar, which no selected cell needs on this page.
function pressKey(event, isInside, view, { toggle, seek }) {
  if (keyboardInUse(event) && !isInside) return;
  const target = event.composedPath()[0];
  const isOnButton = target instanceof HTMLElement && target.matches("button, a, [role=radio]");
  const moves = {
    ArrowLeft: view.now - 1,
    ArrowRight: view.now + 1,
    Home: 0,
    End: view.last(),
  };
  if (event.key === " " && !isOnButton) toggle();
  else if (event.key in moves && (isInside || event.key.startsWith("Arrow")))
    seek(moves[event.key]);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
