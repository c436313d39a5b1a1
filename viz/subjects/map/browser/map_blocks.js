// The blocks of the map: a box with the block's name, its shape or note, and its picture.

import { element } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";
import { mapApart, mapBox, mapButton, mapText, mapTextWidth } from "./map_draw.js";
import { mapStrip, mapThumb } from "./map_pictures.js";
import { mapHover, mapSpoken } from "./map_words.js";

/** Create one block in a box {x, y, width, height}; its picture is added to `ctx.pictures`.
 * @param {import("./map_run").Block} block
 * @param {import("./map").Context} ctx
 */
export function mapBlock(block, box, ctx) {
  const { x, y, width, height } = box;
  const outline =
    block.role === "sum"
      ? element("svg:circle", {
          class: "loupe-map-box",
          cx: x + width / 2,
          cy: y + height / 2,
          r: width / 2,
        })
      : mapBox(x, y, width, height, ctx.sizes.radius);
  const plain = block.role === "tokens" || block.role === "candidates";
  const inside = mapInside(block, box, ctx);
  // A block that shows only a picture has no written name to read out.
  const isWritten = plain || inside.some((part) => part.tagName === "text");
  return mapButton(
    {
      class: `loupe-map-block loupe-map-${block.role} ${block.outside ? "loupe-map-outside" : ""} ${plain ? "loupe-map-plain" : ""}`,
      "data-block": block.id,
      label: mapSpoken(block, isWritten, ctx),
      isWritten,
    },
    () => mapHover(block, ctx),
    () => ctx.open(block),
    outline,
    ...mapApart(inside),
  );
}

/** Return the contents of a box by the block's role.
 * @param {import("./map_run").Block} block
 * @param {import("./map").Context} ctx
 */
function mapInside(block, box, ctx) {
  if (block.role === "sum") return mapPlus(box);
  if (block.role === "tokens") return mapTokens(block, box, ctx);
  if (block.role === "candidates") return mapCandidates(block, box, ctx);
  return ctx.sizes.large ? mapLargeInside(block, box, ctx) : mapSmallInside(block, box, ctx);
}

function mapPlus({ x, y, width, height }) {
  const [cx, cy, arm] = [x + width / 2, y + height / 2, width * 0.28];
  return [
    element("svg:path", {
      class: "loupe-map-plus",
      d: `M${cx - arm} ${cy}h${2 * arm}M${cx} ${cy - arm}v${2 * arm}`,
    }),
  ];
}

/** Fill a small box: the name above, the note below it, and the picture in the lower right corner.
 * @param {import("./map_run").Block} block
 * @param {{x: number, y: number, width: number, height: number}} box
 * @param {import("./map").Context} ctx
 */
function mapSmallInside(block, { x, y, width, height }, ctx) {
  const { sizes, fonts } = ctx;
  if (block.role === "positions" || block.role === "segments")
    return [mapStrip(block, { x: x + 2, y: y + 2, width: width - 4, height: height - 4 }, ctx)];
  const two = height > 24;
  const pictured = block.pictured || block.kind;
  const side = !pictured ? 0 : block.kind ? sizes.thumb : sizes.strip;
  const tall = block.kind ? sizes.thumb : two ? 11 : height - 7;
  const room = width - 8 - (two || !side ? 0 : side + 3);
  const parts = [
    mapText(mapName(block, room, ctx), x + 5, two ? y + 9.5 : y + height / 2, room, {
      sizes,
      fonts,
    }),
  ];
  if (two) {
    const note = block.note ?? block.shape;
    const role = block.kind ? "words" : "detail";
    parts.push(mapText(note, x + 5, y + height - 9.5, width - side - 11, { role, sizes, fonts }));
  }
  if (!pictured) return parts;
  const place = {
    x: x + width - side - 4,
    y: two ? y + height - tall - 3 : y + (height - tall) / 2,
    width: side,
    height: tall,
  };
  return [...parts, block.kind ? mapThumb(block, null, place, ctx) : mapStrip(block, place, ctx)];
}

/** Return the name of a block, or its short name if there is no room.
 * @param {import("./map_run").Block} block
 * @param {number} room
 * @param {import("./map").Context} ctx
 */
function mapName({ label, short }, room, { sizes, fonts }) {
  fonts.context.font = `500 ${sizes.label}px ${fonts.sans}`;
  return fonts.context.measureText(label).width < room ? label : (short ?? label);
}

/** Fill a large box: one line with the name and the note; the pictures are beside the frame.
 * @param {import("./map_run").Block} block
 * @param {{x: number, y: number, width: number, height: number}} box
 * @param {import("./map").Context} ctx
 */
function mapLargeInside(block, { x, y, width, height }, ctx) {
  const { sizes, fonts } = ctx;
  const [left, middle] = [x + 6, y + height / 2];
  const badges = (block.masks?.length ?? 0) + (block.place ? 1 : 0);
  const { side, room, gap } = sizes.badge;
  const free = width - 12 - badges * (side + room + gap);
  const name = mapName(block, free, ctx);
  const parts = [mapText(name, left, middle, free, { sizes, fonts })];
  const rest = width - 20 - mapTextWidth(name, fonts, sizes.label, false);
  const isBare = block.role === "positions" || block.role === "segments" || block.kind;
  if (isBare || mapTextWidth(block.shape, fonts, sizes.detail, true) > rest) return parts;
  const shape = { role: "detail", anchor: "end", sizes, fonts };
  return [...parts, mapText(block.shape, x + width - 6, middle, rest + 2, shape)];
}

/** Show as many tokens of one side as fit, again for each text; a small map names the side below them.
 * @param {import("./map_run").Block} block
 * @param {{x: number, y: number, width: number, height: number}} box
 * @param {import("./map").Context} ctx
 */
function mapTokens(block, { x, y, width, height }, ctx) {
  const list = element("svg:g");
  const { sizes, fonts } = ctx;
  const side = sizes.large ? [] : [[block.label, "words"]];
  const top = y + height / 2 - 7 * side.length;
  ctx.fills.push(() => {
    const lines = [[ctx.tokens[block.stack].join(" "), "token"], ...side];
    list.replaceChildren(
      ...mapApart(
        lines.map(([text, role], i) =>
          mapText(text, x + width / 2, top + i * 14, width, {
            role,
            anchor: "middle",
            sizes,
            fonts,
          }),
        ),
      ),
    );
  });
  return [list];
}

/** Show the most probable tokens of the selected step, each with a bar, again for each step.
 * @param {import("./map_run").Block} block
 * @param {import("./map").Context} ctx
 */
function mapCandidates(block, box, ctx) {
  const list = element("svg:g");
  const { sizes, fonts } = ctx;
  const line = sizes.large ? 13 : 14;
  ctx.fills.push(() => {
    const { selection } = ctx.loupe;
    const chosen = (ctx.map.by_row ? selection?.query : selection?.step) ?? 0;
    const steps = ctx.run.told?.steps ?? []; // none while the question of a lesson hides them
    const step = Math.max(0, Math.min(chosen, steps.length - 1));
    const title = candidatesTitle(block, step, ctx);
    const middle = box.x + box.width / 2;
    const rows = candidatesOf(steps[step], sizes.candidates);
    const start = box.y + box.height - rows.length * line + line / 2 - 1;
    const shared = { sizes, fonts };
    list.replaceChildren(
      ...mapApart([
        mapText(title, middle, start - line, box.width + 2 * sizes.pad, {
          ...shared,
          role: "words",
          anchor: "middle",
        }),
        ...rows.map((row, i) => mapCandidate(row, box, start + i * line, shared)),
      ]),
    );
  });
  return [list];
}

function candidatesTitle({ label }, step, { map, sizes }) {
  if (sizes.large)
    return map.by_row
      ? say("map.candidates_position", { label, step })
      : say("map.candidates_step", { label, step });
  return map.by_row ? say("map.position", { step }) : say("map.step", { step });
}

/** Return the most probable tokens of a step; the one that was written is always among them.
 * @param {import("../../../pictures/browser/wire").WireWritten | undefined} step
 * @param {number} count
 */
function candidatesOf(step, count) {
  const all = step?.candidates.map((each) => ({ ...each, isWritten: each.id === step.id })) ?? [];
  const written = all.findIndex(({ isWritten }) => isWritten);
  const rows = all.slice(0, count);
  if (written >= rows.length) rows[rows.length - 1] = all[written];
  return rows;
}

function mapCandidate({ token, isStandIn, probability, isWritten }, box, y, { sizes, fonts }) {
  const word = isStandIn ? say("run.copied_word") : token;
  const least = say("map.least");
  const widest = Math.ceil(mapTextWidth(least, fonts, sizes.detail, true)) + 1;
  const number = Math.max(26, widest);
  const name = box.width * (sizes.large ? 0.42 : 0.47);
  const bar = Math.max(0, box.width - name - number - 8);
  const digits = probability.toFixed(2).slice(2);
  const text =
    probability >= 0.995
      ? say("map.all")
      : probability < 0.005
        ? least
        : say("map.hundredths", { digits });
  return element(
    "svg:g",
    { class: isWritten ? "loupe-map-written" : "loupe-map-other" },
    mapText(word, box.x + name, y, name, { role: "token", anchor: "end", sizes, fonts }),
    " ",
    element("svg:rect", {
      class: "loupe-map-track",
      x: box.x + name + 5,
      y: y - 3,
      width: bar,
      height: 6,
      rx: 1,
    }),
    element("svg:rect", {
      class: "loupe-map-bar",
      x: box.x + name + 5,
      y: y - 3,
      width: Math.max(0.5, bar * probability),
      height: 6,
      rx: 1,
    }),
    mapText(text, box.x + box.width, y, number, { role: "detail", anchor: "end", sizes, fonts }),
  );
}
