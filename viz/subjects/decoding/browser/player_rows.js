// The tokens so far and the source (if any), each shaded by how much the selected head reads it at the step in view.

import { choice, element } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";
import { studioHead, studioStrip, WEIGHTS } from "./studio.js";

export function playerRows(loupe, studio) {
  const target = studioStrip(studio, say("decoding.strip_target"), (position) =>
    studio.go(position - 1),
  );
  const source = studioStrip(studio, say("decoding.strip_source"));
  const [above, below] = [0, 1].map(() => element("h2", { class: "loupe-heading" }));
  const heads = element("div", { class: "loupe-tools" });
  let drawn = "";

  /** @param {import("./studio").Path} path */
  const drawHeadings = (path, [from, to], head) => {
    const isAlone = !path.source.length;
    for (const node of [below, source.list]) node.hidden = isAlone;
    heads.replaceChildren(...headChoices(loupe, path, head));
    const said = isAlone ? say("decoding.row_alone") : say("decoding.row_target", { target: to });
    above.textContent = said;
    above.title = tensorName(0, head);
    below.textContent = say("decoding.row_source", { source: from });
    below.title = tensorName(1, head);
  };

  return {
    node: element("div", { class: "studio-rows" }, above, target.list, below, source.list),
    heads,
    /** @param {import("./studio").Path} path */
    build(path) {
      target.build(path.target);
      source.build(path.source);
      drawn = "";
    },
    /**
     * @param {import("./studio").Path} path
     * @param {import("./wire").WirePlayer} data
     */
    paint(path, { languages }) {
      const { layer, head } = studioHead(loupe, path);
      const { step, key } = studio;
      const heading = `${layer} ${head} ${key}`;
      if (drawn !== heading) drawHeadings(path, languages, { layer, head });
      drawn = heading;
      target.paint(path.row("self", layer, head, step).subarray(0, step + 1));
      source.paint(path.row("cross", layer, head, step));
      target.chips().forEach(({ item }, i) => {
        const place = i === step + 1 ? "studio-now" : i > step ? "studio-later" : "";
        const isPrompt = !path.source.length && i <= path.prompt;
        const state = isPrompt ? `${place} studio-prompt`.trim() : place;
        if (item.className !== state) item.className = state;
      });
      // In a frame of its own, because measuring right after writing would lay out the page twice.
      requestAnimationFrame(() => keepInView(target.list, target.chips()[studio.step + 1]?.item));
    },
  };
}

function tensorName(i, { layer, head }) {
  return `${WEIGHTS[i].replace("{layer}", layer)}[${head}]`;
}

// Create the fields for the layer and head of the decoder that the rows show.
function headChoices(loupe, path, { layer, head }) {
  const select = (changes) => {
    const isEncoder = loupe.selection.kind === "encoder self-attention";
    loupe.select({ ...(isEncoder ? { kind: "cross-attention" } : {}), ...changes });
  };
  /** @returns {[number, string][]} */
  const numbers = (count) => Array.from({ length: count }, (_, i) => [i, String(i)]);
  const field = (words, count, now, take) =>
    element(
      "span",
      { class: "studio-field" },
      `${words} `,
      choice(words, numbers(count), now, take),
    );
  return [
    field(say("decoding.layer"), path.layers, layer, (value) => select({ layer: value })),
    field(say("decoding.head"), path.heads, head, (value) => select({ head: value })),
  ];
}

function keepInView(list, now) {
  if (!now || list.scrollHeight <= list.clientHeight) return;
  const isAbove = now.offsetTop < list.scrollTop;
  const isBelow = now.offsetTop + now.offsetHeight > list.scrollTop + list.clientHeight;
  if (isAbove || isBelow) list.scrollTop = now.offsetTop - list.clientHeight / 2;
}
