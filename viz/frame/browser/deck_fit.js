// Shows a part of a page alone, as large as the screen allows.

export const GIVING = "loupe-giving"; // class of the page while a lecture is given
const LEAST_SHARE = 0.72; // smallest letters, as a share of those in presenter mode, so that a part fits on the screen
const MOST_SHARE = 1.5;
const GROWN = 1.35; // largest size of a part that is only words, times the usual size on this screen
const DRAWN = "canvas, svg, .js-plotly-plot"; // pictures have their own sizes, and may arrive late
const STEP = 1.25; // largest step from one try to the next, because smaller text also wraps less
const SMALLEST = 0.3; // smallest size of a picture, whose letters are then as small as allowed
const TRIES = 9;
const MADE_FOR = { width: 1280, height: 720 }; // the screen for which presenter mode is designed
const ROOT_PIXELS = 22.5; // the font size of presenter.css
const CELL_PIXELS = 18;
const PICTURE_PIXELS = 560; // height of a map of weights
const THUMB_SHARE = 0.37; // of a head among all heads of two layers

/** Return rules that hide everything on the page but one part of it. @param {string} panel */
export function aloneRules(panel) {
  const part = `.st-key-${CSS.escape(panel)}`;
  return `.${GIVING} [data-testid=stMainBlockContainer] [data-testid=stVerticalBlock] >
    :not(:has(${part}), ${part}, ${part} *) { display: none !important; }
    .${GIVING} [data-testid=stMainBlockContainer] :has(> ${part}, > * > ${part}) {
      grid-template: none / minmax(0, 1fr) !important; }
    .${GIVING} [data-testid=stMainBlockContainer] :is(${part}, :has(> ${part})) {
      grid-area: auto !important; flex: 1 1 100% !important; width: 100% !important; }`;
}

const isOfWords = (node) => node.textContent.trim() !== "" && !node.querySelector(DRAWN);

/** Make letters as large as possible, within limits, while the whole part still fits on the screen.
 * @param {HTMLStyleElement} rules the element for the rules
 * @param {string} alone the rules that show the part alone
 * @param {HTMLElement} node the part
 * @param {number} room the maximum height in pixels
 * @param {() => void} redraw
 */
export function fit(rules, alone, node, room, redraw) {
  const most = Math.min(MOST_SHARE, innerHeight / MADE_FOR.height, innerWidth / MADE_FOR.width);
  const isKnown = rules.dataset.share && rules.textContent.startsWith(alone);
  const usual = Math.max(1, most);
  const largest = isOfWords(node) ? Math.min(MOST_SHARE, GROWN * usual) : usual;
  let share = isKnown ? Math.min(Number(rules.dataset.share), largest) : largest;
  const step = (left) => {
    rules.textContent = alone + sizeRules(share);
    rules.dataset.share = String(share);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (!rules.isConnected || !rules.textContent.startsWith(alone)) return;
        redraw();
        const over = node.scrollHeight / room;
        if (over <= 1 || share === SMALLEST || !left) return;
        share = Math.max(SMALLEST, share / Math.min(over, STEP));
        step(left - 1);
      }),
    );
  };
  step(TRIES);
}

function sizeRules(share) {
  const letters = Math.max(LEAST_SHARE, share);
  const cell = `${CELL_PIXELS * letters}px`;
  return `html { font-size: ${ROOT_PIXELS * letters}px !important; }
    .stApp { --cell-font: ${cell}; --least-font: ${cell}; --picture-high: ${PICTURE_PIXELS * share}px;
      --thumb-most: ${PICTURE_PIXELS * share * THUMB_SHARE}px; }`;
}
