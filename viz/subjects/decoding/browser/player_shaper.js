// What the sampler does to the distribution: temperature, top-k and top-p redraw it at once; the seed and "draw again"
// ask Python.

import { clamp, element, pushButton } from "../../../pictures/browser/elements.js";
import { say, written } from "../../../pictures/browser/say.js";

/** @param {any} studio
 * @param {(seed: number) => void} draw
 */
export function playerShaper(studio, draw) {
  const fields = createFields(studio);
  const seed = element("input", {
    type: "number",
    min: 0,
    step: 1,
    class: "studio-seed",
    "aria-label": say("decoding.seed"),
    onchange: () => draw(clamp(Number(seed.value), Number(seed.max) + 1)),
  });
  const drawAgain = () => draw((Number(seed.value) + 1) % (Number(seed.max) + 1));
  const said = element("p", { class: "loupe-note" });
  const node = element(
    "div",
    { class: "studio-shaper" },
    ...fields.nodes,
    element("label", { class: "studio-field" }, `${say("decoding.seed")} `, seed),
    pushButton({ class: "studio-text-button", onclick: drawAgain }, say("decoding.draw")),
    said,
  );
  return {
    node,
    /**
     * @param {import("./studio").Path} path
     * @param {import("./wire").WirePlayer} data
     */
    build(path, { drawn, lastSeed, temperatures }) {
      fields.build(path, temperatures);
      seed.max = String(lastSeed);
      seed.value = String(drawn[3]);
    },
    /**
     * @param {import("./studio").Path} path
     * @param {import("./wire").WirePlayer} data
     */
    paint(path, { drawn }) {
      node.hidden = path.mode !== "Sampling";
      if (node.hidden) return;
      fields.show();
      said.textContent = drawnWords(drawn, studio.shaping);
    },
  };
}

function createFields(studio) {
  let temperatures = [1]; // positions of the slider
  const temperature = shapingField(
    studio,
    [say("decoding.temperature"), { min: 0, max: 0, step: 1 }],
    (place) => ({ temperature: temperatures[place] }),
    (shaping) => [
      nearestPlace(temperatures, shaping.temperature),
      written(String(shaping.temperature)),
    ],
  );
  const topK = shapingField(
    studio,
    [say("decoding.top_k"), { min: 0, max: 50, step: 1 }],
    (count) => ({ topK: count }),
    (shaping) => [shaping.topK, shaping.topK ? String(shaping.topK) : say("decoding.top_k_all")],
  );
  const topP = shapingField(
    studio,
    [say("decoding.top_p"), { min: 0.05, max: 1, step: 0.05 }],
    (mass) => ({ topP: mass }),
    (shaping) => [shaping.topP, written(shaping.topP.toFixed(2))],
  );
  const all = [temperature, topK, topP];
  return {
    nodes: all.map(({ node }) => node),
    /** @param {import("./studio").Path} path */
    build(path, places) {
      temperatures = places;
      temperature.input.max = String(places.length - 1);
      topK.input.max = String(Math.min(50, path.size));
    },
    show() {
      for (const field of all) field.show();
    },
  };
}

// Create a slider: `read` turns its position into changes; `write` returns its position and the words beside it.
function shapingField(studio, [words, attributes], read, write) {
  const text = element("b");
  const reshape = (changes) =>
    studio.change("shaping", { shaping: { ...studio.shaping, ...changes } });
  const input = element("input", {
    type: "range",
    "aria-label": words,
    ...attributes,
    oninput: () => reshape(read(Number(input.value))),
  });
  return {
    node: element("label", { class: "studio-field" }, `${words} `, text, input),
    input,
    show() {
      const [place, shown] = write(studio.shaping);
      input.value = String(place);
      text.textContent = shown;
    },
  };
}

function nearestPlace(places, value) {
  const distances = places.map((place) => Math.abs(place - value));
  return distances.indexOf(Math.min(...distances));
}

/**
 * @param {number[]} drawn
 * @param {{temperature: number, topK: number, topP: number}} shaping
 */
function drawnWords([temperature, topK, topP, seed], shaping) {
  const isSame =
    shaping.temperature === temperature && shaping.topK === topK && shaping.topP === topP;
  const drawn = { temperature, top_k: topK || say("decoding.top_k_all"), top_p: topP, seed };
  const words = say("decoding.drawn", drawn);
  return isSame ? words : `${words} ${say("decoding.drawn_otherwise")}`;
}
