// The keyboard on the map: one stop of the Tab key, and from there the arrows to what lies in their direction.

const BUTTONS = '[role="button"]';
const ASIDE = 2; // how much further a block is that lies aside of the arrow's direction
const LEAST = 3; // pixels that count as a difference in place

/** @type {Record<string, [number, number]>} */
const DIRECTIONS = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** Let the arrows move from block to block in the map that an element holds. Not in the drawing: one that listens to
 * the focus is a stop itself.
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
    event.stopPropagation(); // the arrows move no selected cell meanwhile
    to?.focus();
  });
}

/** Have exactly one stop, on what can be seen: where it was, else at the block in view, else at the first.
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

// Layers that are folded away are not drawn. To ask where the others stand would lay out the page.
const buttonsOf = (svg) =>
  [...svg.querySelectorAll(BUTTONS)].filter(
    (button) => button.closest(".loupe-map-part")?.style.display !== "none",
  );

// The first or last block; undefined leaves the focus where it is, null the key to others.
function atEnd(svg, { key }) {
  if (key === "Home") return buttonsOf(svg)[0];
  return key === "End" ? buttonsOf(svg).at(-1) : null;
}

// What is next in a direction, what lies straight ahead before what lies aside.
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
