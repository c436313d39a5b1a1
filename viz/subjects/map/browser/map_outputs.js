// The part above a stack of the map: the final norm, then the memory or the output.

import { say } from "../../../pictures/browser/say.js";
import { mapText, mapTextWidth, mapWire } from "./map_draw.js";
import { mapEnds, mapPart, mapShape, mapStack } from "./map_parts.js";
import { mapStacks } from "./map_sizes.js";

/** Draw what is above a stack: room for the fold, the final norm, and the outputs of the decoder.
 * @param {import("./wire").StackName} stack
 * @param {import("./map").Context} ctx
 */
export function mapOutputs(stack, ctx) {
  const { sizes, map } = ctx;
  const column = sizes[stack];
  const part = mapPart();
  const find = mapEnds(map, stack);
  const wire = (to, arrow = 0) => {
    part.wires.push(
      mapWire(
        [
          [column.centre, part.top],
          [column.centre, to],
        ],
        { arrow },
      ),
    );
    part.top = to;
  };
  const norm = find("final_norm");
  if (norm) {
    wire(-sizes.toggle, sizes.arrow);
    mapStack(part, norm, sizes.ends.final_norm, 0, ctx);
  }
  if (stack === "encoder" && mapStacks(map).length > 1) return mapMemory(part, norm, ctx);
  const rise = norm ? sizes.step * 2 : sizes.toggle;
  if (!norm) {
    const y = -sizes.toggle / 2 - 1.5;
    const shape = { role: "detail", anchor: "end", sizes, fonts: ctx.fonts };
    part.wires.push(
      mapText(ctx.widths[stack], column.centre - 6, y, column.centre - column.x - 6, shape),
    );
  }
  wire(part.top - rise, sizes.arrow);
  if (!find("linear")) return part;
  const transform = find("transform");
  if (transform) mapStack(part, transform, sizes.ends.transform, 0, ctx);
  part.linear = mapStack(part, find("linear"), sizes.ends.linear, transform ? sizes.step : 0, ctx);
  mapStack(part, find("output"), sizes.ends.output, sizes.step, ctx);
  mapStack(part, find("candidates"), sizes.ends.candidates, sizes.step, ctx);
  return part;
}

/** Draw the memory: the encoder's output, which turns towards the decoder.
 * @param {import("./map").Context} ctx
 */
function mapMemory(part, norm, ctx) {
  const { sizes, fonts } = ctx;
  const column = sizes.encoder;
  part.memory = part.top - (norm ? sizes.step : sizes.toggle);
  const memory = say("map.memory");
  const words = mapText(memory, column.centre, part.memory - sizes.label, sizes.frame, {
    role: "words",
    sizes,
    fonts,
  });
  const from = column.x + 6;
  words.setAttribute("x", from);
  part.wires.push(words);
  const after = from + mapTextWidth(memory, fonts, sizes.detail, false) + 6;
  part.wires.push(
    mapShape(
      ctx.widths.encoder,
      after,
      part.memory - sizes.label,
      ctx,
      column.right + sizes.gutter / 2,
    ),
  );
  part.memoryFrom = part.top;
  part.top = part.memory - sizes.label * 2;
  return part;
}
