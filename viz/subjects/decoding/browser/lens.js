// Logit lens: what each depth of the decoder would write at each step, shaded by the token that was written in the end.

import { cssColour, tooltip } from "../../../pictures/browser/canvas.js";
import { element } from "../../../pictures/browser/elements.js";
import { createStudio, studioKeepInView, studioShare } from "./studio.js";

function decodingLens(loupe, { host, signal }) {
  const studio = loupe.part(createStudio);
  let data = null;
  let built = null;
  let columns = []; // for each step, its cells
  let shades = []; // cells with the probability that they are shaded by
  let under = "";
  const title = element(
    "h2",
    { class: "loupe-heading" },
    element("span", {}, "Every depth, read by the final projection"),
  );
  const note = element(
    "p",
    { class: "loupe-note" },
    "In each cell: the token that this depth would write, and the rank that it gives to the token written in the end, 1 being the most probable. The colour is that token's probability, from 0 to 1.",
  );
  const table = element("table", { class: "studio-lens" });
  const scroll = element("div", { class: "loupe-scroll" }, table);
  host.append(title, scroll, note);

  const tip = (depth, step, event) => {
    const tops = data.tops[depth][step].map((token, i) =>
      element(
        "div",
        { class: token === data.written[step] ? "studio-tip-written" : "" },
        `${i + 1}  ${token}  ${studioShare(data.shares[depth][step][i])}`,
      ),
    );
    const written = `written in the end: ${data.written[step]}, rank ${data.ranks[depth][step]}, probability ${studioShare(data.probabilities[depth][step])}`;
    tooltip.show(event, element("b", {}, `${data.names[depth]}, step ${step}`), ...tops, written);
  };

  const build = () => {
    columns = data.written.map(() => []);
    shades = [];
    const head = element(
      "tr",
      {},
      element("th", {}, "written"),
      ...data.written.map((token, step) => {
        const button = element(
          "button",
          { type: "button", title: `step ${step}`, onclick: () => studio.go(step) },
          token,
        );
        const cell = element("th", { scope: "col" }, button);
        columns[step].push(cell);
        return cell;
      }),
    );
    const rows = data.names.map((name, depth) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        ...data.written.map((_, step) => {
          const rank = data.ranks[depth][step];
          const cell = element(
            "td",
            {
              onpointermove: (event) => tip(depth, step, event),
              onpointerleave: () => tooltip.hide(),
              onclick: () => studio.go(step),
            },
            element("bdi", {}, data.tops[depth][step][0]),
            element("small", {}, rank > 1 ? `rank ${rank}` : "✓"),
          );
          columns[step].push(cell);
          shades.push([cell, data.probabilities[depth][step]]);
          return cell;
        }),
      ),
    );
    table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows.reverse()));
    built = data.path;
    under = "";
  };
  const paint = () => {
    const { palette } = studio;
    if (under !== palette.under) {
      under = palette.under;
      for (const [cell, p] of shades) {
        cell.style.background = cssColour(palette.scale[Math.round(p * 200)]);
        cell.style.color = p > 0.45 ? palette.panel : "";
      }
    }
    columns.forEach((cells, step) => {
      for (const cell of cells)
        if (cell.classList.contains("studio-at") !== (step === studio.step))
          cell.classList.toggle("studio-at");
    });
    const [head] = columns[studio.step] ?? [];
    if (head) studioKeepInView(scroll, head, table.querySelector("th"));
  };
  studio.follow(signal, (what) => data && what !== "shaping" && paint());
  return (given) => {
    data = given;
    if (built !== data.path) build();
    studio.look();
    paint();
  };
}

export const components = { decoding_lens: decodingLens };
