// The keyboard on the map: it is one stop of the Tab key, and the arrow keys lead from block to block.

const BUTTONS = '[role="button"]';
const ASIDE = 2; // weight of a distance across the arrow's direction
const LEAST = 3; // pixels from which two blocks differ in place

/** @type {Record<string, [number, number]>} */
const DIRECTIONS = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** Let the arrow keys move from block to block in the map inside an element. The listener is not on the drawing itself,
 * which would become a stop of the Tab key.
 * @param {HTMLElement} root
 */
export function mapFollowKeys(root) {
  root.addEventListener("focusin", (event) => {
    const button = buttonOf(event);
    if (button) setStop(root, button);
  });
  root.addEventListener("keydown", (event) => {
    const from = buttonOf(event);
    const to =
      from && (DIRECTIONS[event.key] ? nearest(root, from, event.key) : atEnd(root, event));
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation(); // so that the arrow keys do not move the selected cell
    to?.focus();
  });
}

/** Keep exactly one visible stop: the previous one, else the block in view, else the first block.
 * @param {SVGSVGElement} svg
 */
export function mapKeepStop(svg) {
  const seen = buttonsOf(svg);
  const stop = seen.find((button) => button.getAttribute("tabindex") === "0");
  const first = seen.find((button) => button.hasAttribute("aria-current")) ?? seen[0];
  if (stop ?? first) setStop(svg, stop ?? first);
}

function setStop(svg, stop) {
  for (const button of svg.querySelectorAll(BUTTONS))
    button.setAttribute("tabindex", button === stop ? "0" : "-1");
}

const buttonOf = (event) =>
  event.target instanceof Element ? event.target.closest(BUTTONS) : null;

// Layers that are folded away are not drawn. Asking for the places of the others would cause a layout of the page.
const buttonsOf = (svg) =>
  [...svg.querySelectorAll(BUTTONS)].filter(
    (button) => button.closest(".loupe-map-part")?.style.display !== "none",
  );

// Return the first or last block; undefined keeps the focus where it is, null leaves the key to other listeners.
function atEnd(svg, { key }) {
  if (key === "Home") return buttonsOf(svg)[0];
  return key === "End" ? buttonsOf(svg).at(-1) : null;
}

// Return the next block in a direction, preferring blocks that are straight ahead.
function nearest(svg, from, key) {
  const [x, y] = DIRECTIONS[key];
  const start = centre(from);
  let best = { distance: Infinity, button: undefined };
  for (const button of buttonsOf(svg)) {
    const [dx, dy] = centre(button).map((place, i) => place - start[i]);
    const ahead = dx * x + dy * y;
    if (button === from || ahead < LEAST) continue;
    const distance = ahead + ASIDE * Math.abs(dx * y + dy * x);
    if (distance < best.distance) best = { distance, button };
  }
  return best.button;
}

function centre(button) {
  const { left, top, width, height } = button.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}
