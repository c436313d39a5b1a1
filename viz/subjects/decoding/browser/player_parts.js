// The parts of the player: controls, rows of attention, and what the sampler does to the distribution.

import { choice, clamp, element } from "../../../pictures/browser/elements.js";
import { studioHead, studioStrip } from "./studio.js";

const PLAYER_SPEEDS = [0.5, 1, 2, 4]; // steps a second

const PLAYER_ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11 3v10L4 8z",
  play: "M4 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5 3v10l7-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};

function playerIcon(name) {
  return element(
    "svg:svg",
    { viewBox: "0 0 16 16", "aria-hidden": "true" },
    element("svg:path", { d: PLAYER_ICONS[name] }),
  );
}

export function playerControls(studio, { go, toggle, pace }) {
  const button = (name, words, key, onclick) =>
    element(
      "button",
      {
        type: "button",
        class: "studio-button",
        title: `${words} (${key})`,
        "aria-label": words,
        onclick,
      },
      playerIcon(name),
    );
  const first = button("first", "First step", "Home", () => go(0));
  const back = button("back", "Step back", "←", () => go(studio.step - 1));
  const middle = button("play", "Play", "space", toggle);
  middle.classList.add("studio-play");
  const forward = button("forward", "Step forward", "→", () => go(studio.step + 1));
  const last = button("last", "Last step", "End", () => go(Infinity));
  const range = element("input", {
    type: "range",
    min: 0,
    step: 1,
    class: "studio-scrubber",
    "aria-label": "step of the decoding",
    oninput: () => go(Number(range.value)),
  });
  const where = element("output", { class: "studio-where" });
  const speeds = element(
    "select",
    { "aria-label": "steps a second", onchange: () => pace(Number(speeds.value)) },
    ...PLAYER_SPEEDS.map((value) =>
      element("option", { value, selected: value === 1 }, `${value} a second`),
    ),
  );
  const note = element("p", { class: "loupe-note" });
  let playing = null;
  return {
    node: element(
      "div",
      {},
      element(
        "div",
        { class: "studio-controls" },
        first,
        back,
        middle,
        forward,
        last,
        range,
        where,
        element("label", { class: "studio-field" }, speeds),
      ),
      note,
    ),
    build(path) {
      range.max = String(path.steps - 1);
      range.disabled = path.steps < 2;
      note.hidden = path.steps === path.length;
      note.textContent = `The first ${path.steps} of ${path.length} steps are played.`;
    },
    state(path) {
      range.value = String(studio.step);
      where.textContent = `step ${studio.step} / ${path.steps - 1}`;
      first.disabled = back.disabled = studio.step === 0;
      last.disabled = forward.disabled = studio.step === path.steps - 1;
      if (playing === studio.playing) return;
      playing = studio.playing;
      middle.replaceChildren(playerIcon(playing ? "pause" : "play"));
      middle.setAttribute("aria-label", playing ? "Pause" : "Play");
      middle.title = `${playing ? "Pause" : "Play"} (space)`;
    },
  };
}

// The tokens so far and the source, each shaded by what the selected head reads of it at this step.
export function playerRows(loupe, studio) {
  const target = studioStrip(
    studio,
    "tokens so far, shaded by the decoder's self-attention",
    (position) => studio.go(position - 1),
  );
  const source = studioStrip(studio, "source tokens, shaded by the cross-attention");
  const titles = [0, 1].map(() => element("h2", { class: "loupe-heading" }));
  const heads = element("div", { class: "loupe-tools" });
  let drawn = "";

  const name = (path, i, { layer, head }) => {
    const tensor = path.names[i].replace("{layer}", layer);
    return studio.mean ? `${tensor}, mean of ${path.heads} heads` : `${tensor}[${head}]`;
  };
  const drawHeads = (path, { layer, head }) => {
    const decoder = (changes) =>
      loupe.select({
        ...(loupe.selection.kind === "encoder self-attention" ? { kind: "cross-attention" } : {}),
        ...changes,
      });
    /** @returns {[number | "mean", string][]} */
    const numbers = (count) => Array.from({ length: count }, (_, i) => [i, String(i)]);
    heads.replaceChildren(
      element(
        "span",
        { class: "studio-field" },
        "Layer ",
        choice("Layer", numbers(path.layers), layer, (value) => decoder({ layer: value })),
      ),
      element(
        "span",
        { class: "studio-field" },
        "Head ",
        choice(
          "Head",
          [...numbers(path.heads), ["mean", "Mean of heads"]],
          studio.mean ? "mean" : head,
          (value) => {
            if (value !== "mean") decoder({ head: value });
            if (studio.mean !== (value === "mean"))
              studio.change("heads", { mean: value === "mean" });
          },
        ),
      ),
    );
  };

  // In a frame of its own: to ask for places right after writing lays the page out twice.
  const keepInView = () => {
    const now = target.chips()[studio.step + 1]?.item;
    const { list } = target;
    if (!now || list.scrollHeight <= list.clientHeight) return;
    if (
      now.offsetTop < list.scrollTop ||
      now.offsetTop + now.offsetHeight > list.scrollTop + list.clientHeight
    )
      list.scrollTop = now.offsetTop - list.clientHeight / 2;
  };

  return {
    node: element(
      "div",
      { class: "studio-rows" },
      heads,
      titles[0],
      target.list,
      titles[1],
      source.list,
    ),
    build(path) {
      target.build(path.target);
      source.build(path.source);
      drawn = "";
    },
    paint(path) {
      const head = studioHead(loupe, path);
      const { step } = studio;
      const heading = `${head.layer} ${head.head} ${studio.mean} ${studio.key}`;
      if (drawn !== heading) {
        drawn = heading;
        drawHeads(path, head);
        titles[0].replaceChildren(
          element("span", {}, `${path.languages[1]} tokens so far: what this step reads of them`),
          element("code", {}, name(path, 0, head)),
        );
        titles[1].replaceChildren(
          element("span", {}, `${path.languages[0]} tokens: what it reads of the source`),
          element("code", {}, name(path, 1, head)),
        );
      }
      target.paint(
        path.row("self", head.layer, head.head, step, studio.mean).subarray(0, step + 1),
      );
      source.paint(path.row("cross", head.layer, head.head, step, studio.mean));
      target.chips().forEach(({ item }, i) => {
        const state = i === step + 1 ? "studio-now" : i > step ? "studio-later" : "";
        if (item.className !== state) item.className = state;
      });
      requestAnimationFrame(keepInView);
    },
  };
}

function nearestPlace(places, value) {
  const distances = places.map((place) => Math.abs(place - value));
  return distances.indexOf(Math.min(...distances));
}

// Temperature, top-k and top-p, which redraw the distribution at once; seed and "draw again", which ask Python.
export function playerShaper(studio, { reshape, draw }) {
  const field = (words, attributes, read, write) => {
    const text = element("b");
    const input = element("input", {
      type: "range",
      "aria-label": words,
      ...attributes,
      oninput: () => reshape(read(Number(input.value))),
    });
    return {
      node: element("label", { class: "studio-field" }, `${words} `, text, input),
      state() {
        const [value, shown] = write(studio.shaping);
        input.value = value;
        text.textContent = shown;
      },
      input,
    };
  };
  let temperatures = [1]; // places of the slider
  const fields = {
    temperature: field(
      "Temperature",
      { min: 0, max: 0, step: 1 },
      (place) => ({ temperature: temperatures[place] }),
      ({ temperature }) => [nearestPlace(temperatures, temperature), String(temperature)],
    ),
    topK: field(
      "Top-k",
      { min: 0, max: 50, step: 1 },
      (topK) => ({ topK }),
      ({ topK }) => [topK, topK ? String(topK) : "all"],
    ),
    topP: field(
      "Top-p",
      { min: 0.05, max: 1, step: 0.05 },
      (topP) => ({ topP }),
      ({ topP }) => [topP, topP.toFixed(2)],
    ),
  };
  const seed = element("input", {
    type: "number",
    min: 0,
    step: 1,
    class: "studio-seed",
    "aria-label": "seed",
    onchange: () => draw(clamp(Number(seed.value), Number(seed.max) + 1)),
  });
  const again = element(
    "button",
    {
      type: "button",
      class: "studio-text-button",
      onclick: () => draw((Number(seed.value) + 1) % (Number(seed.max) + 1)),
    },
    "Draw again",
  );
  const said = element("p", { class: "loupe-note" });
  const node = element(
    "div",
    { class: "studio-shaper" },
    ...Object.values(fields).map((one) => one.node),
    element("label", { class: "studio-field" }, "Seed ", seed),
    again,
    said,
  );
  return {
    node,
    build(path, { drawn, lastSeed, temperatures: places }) {
      temperatures = places;
      fields.temperature.input.max = String(places.length - 1);
      seed.max = String(lastSeed);
      seed.value = String(drawn[3]);
      fields.topK.input.max = String(Math.min(50, path.size));
    },
    paint(path, { drawn }) {
      node.hidden = path.mode !== "Sampling";
      if (node.hidden) return;
      for (const one of Object.values(fields)) one.state();
      const { temperature, topK, topP } = studio.shaping;
      const same = temperature === drawn[0] && topK === drawn[1] && topP === drawn[2];
      const words = `Drawn with temperature ${drawn[0]}, ${drawn[1] ? `top-k ${drawn[1]}` : "no top-k"}, top-p ${drawn[2]} and seed ${drawn[3]}.`;
      said.textContent = same
        ? words
        : `${words} The distribution is shown as set here: draw again to use it.`;
    },
  };
}
