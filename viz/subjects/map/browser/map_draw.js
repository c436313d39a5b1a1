// The shapes of the map: wires, blocks, texts, badges. Each function returns an SVG element.

import { fittedText } from "../../../pictures/browser/canvas.js";
import { element } from "../../../pictures/browser/elements.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";

// Draw a line through points, with rounded corners and an arrowhead at its end.
export function mapWire(points, { role = "", arrow = 0, corner = 0 } = {}) {
  const line = element("svg:path", {
    class: `loupe-map-wire ${role}`,
    d: mapLine(points, corner, arrow * 0.8),
  });
  if (!arrow) return line;
  const [x, y] = points.at(-1);
  const [fromX, fromY] = points.at(-2);
  const [dx, dy] = [Math.sign(x - fromX), Math.sign(y - fromY)];
  const wing = arrow * 0.62;
  const back = (side) =>
    `${x - dx * arrow + dy * side * wing} ${y - dy * arrow + dx * side * wing}`;
  const tip = element("svg:path", {
    class: `loupe-map-tip ${role}`,
    d: `M${x} ${y}L${back(1)}L${back(-1)}Z`,
  });
  return element("svg:g", {}, line, tip);
}

// Return the path of such a line; `short` leaves room for the arrowhead.
export function mapLine(points, corner, short = 0) {
  const [start, ...rest] = points;
  let path = `M${start.join(" ")}`;
  rest.forEach((point, i) => {
    const before = i ? rest[i - 1] : start;
    const next = rest[i + 1];
    const [dx, dy] = [point[0] - before[0], point[1] - before[1]];
    const length = Math.hypot(dx, dy) || 1;
    const cut = next
      ? Math.min(corner, length / 2, Math.hypot(next[0] - point[0], next[1] - point[1]) / 2)
      : short;
    path += `L${point[0] - (dx / length) * cut} ${point[1] - (dy / length) * cut}`;
    if (!next || !cut) return;
    const [nx, ny] = [next[0] - point[0], next[1] - point[1]];
    const away = Math.hypot(nx, ny) || 1;
    path += `Q${point.join(" ")} ${point[0] + (nx / away) * cut} ${point[1] + (ny / away) * cut}`;
  });
  return path;
}

// Draw a text, shortened to a width; hovering shows what is cut off.
export function mapText(text, x, y, width, { role = "label", anchor = "start", sizes, fonts }) {
  const mono = role !== "label" && role !== "words";
  const size = role === "label" ? sizes.label : sizes.detail;
  fonts.context.font = `${role === "label" ? 500 : 400} ${size}px ${mono ? fonts.mono : fonts.sans}`;
  const shown = fittedText(fonts.context, text, width);
  const node = element(
    "svg:text",
    { class: `loupe-map-${role}`, x, y, "text-anchor": anchor, "font-size": size, dy: "0.35em" },
    shown,
  );
  if (shown !== text) node.prepend(element("svg:title", {}, text));
  return node;
}

export function mapTextWidth(text, fonts, size, mono) {
  fonts.context.font = `400 ${size}px ${mono ? fonts.mono : fonts.sans}`;
  return fonts.context.measureText(text).width;
}

/** Create a rectangle that opens something: it reacts to hovering, focus, clicks, Enter and Space. Its name is the text
 * in it, and `label` adds to that; without text, `label` is its name.
 * @param {{label: string, isWritten?: boolean} & Record<string, any>} attributes
 */
export function mapButton({ label, isWritten, ...attributes }, words, open, ...children) {
  const node = element(
    "svg:g",
    {
      role: "button",
      tabindex: "-1", // map_keys.js chooses the one stop
      ...attributes,
      ...named(label, isWritten),
      onclick: open,
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        open(event);
      },
      onpointermove: (event) => tooltip.show(event, ...words()),
      onpointerleave: () => tooltip.hide(),
      onfocus: () => {
        if (!node.matches(":focus-visible")) return;
        const { right, top } = node.getBoundingClientRect();
        tooltip.show({ clientX: right, clientY: top }, ...words());
      },
      onblur: () => tooltip.hide(),
    },
    ...children,
  );
  return node;
}

function named(label, isWritten) {
  return isWritten ? { "aria-description": label } : { "aria-label": label };
}

// Separate the texts of a button by spaces, so that a screen reader reads them as words.
export const mapApart = (parts) => parts.flatMap((part) => [part, " "]);

export function mapBox(x, y, width, height, radius, role = "loupe-map-box") {
  return element("svg:rect", { class: role, x, y, width, height, rx: radius });
}

// Draw how an attention uses positions: a rotation, or a bias that falls with the distance.
function mapPlaceIcon(place, x, y, side) {
  const bar = (i) => {
    const [left, height] = [x + side * 0.36 * i, side * (0.3 + 0.3 * i)];
    return `M${left} ${y + side}v${-height}h${side * 0.26}v${height}Z`;
  };
  if (place !== "rotary") return [0, 1, 2].map(bar).join("");
  const [cx, cy, r] = [x + side / 2, y + side / 2, side * 0.34];
  return `M${cx - r} ${cy}A${r} ${r} 0 1 1 ${cx} ${cy + r}L${cx} ${cy}Z`;
}

// Draw what a mask leaves: the lower triangle, or all but the last keys; hatched where the mask hides.
function mapMaskIcon(mask, x, y, side) {
  const shapes = {
    causal: `M${x} ${y}V${y + side}H${x + side}Z`,
    window: `M${x} ${y}V${y + side * 0.4}L${x + side * 0.6} ${y + side}H${x + side}Z`,
    padding: `M${x} ${y}V${y + side}H${x + side * 0.6}V${y}Z`,
  };
  const left = shapes[mask] ?? mapPlaceIcon(mask, x, y, side);
  return element(
    "svg:g",
    { class: "loupe-map-mask-icon" },
    element("svg:rect", { x, y, width: side, height: side }),
    element("svg:path", { d: left }),
  );
}

// Draw a mask as a badge: an icon that shows its name when one points at it.
export function mapBadge(mask, x, y, { sizes }, open) {
  const name = sayOf("map.mask", mask);
  const does = sayOf("map.mask_does", mask);
  const { side, height, room } = sizes.badge;
  const width = side + room;
  const node = mapButton(
    { class: "loupe-map-badge", label: say("map.mask_label", { name, does }) },
    () => [element("b", {}, name), does],
    open,
    mapBox(x, y - height / 2, width, height, 3),
    mapMaskIcon(mask, x + (width - side) / 2, y - side / 2, side),
  );
  return { node, width };
}
