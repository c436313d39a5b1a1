// One part of a page alone on the screen, and as large as the screen allows.

export const GIVING = "loupe-giving"; // the page while a lecture is given
const LEAST_SHARE = 0.72; // of the size of letters in presenter mode, so that a part fits on the screen
const MOST_SHARE = 1.5;
const STEP = 1.25; // at most, from one try to the next: what is smaller also wraps less
const TRIES = 6;
const MADE_FOR = { width: 1280, height: 720 }; // the screen for which presenter mode has its sizes
const ROOT_PIXELS = 22.5; // what presenter.css says of letters
const CELL_PIXELS = 18;

/** Rules that put everything of the page but one part of it out of sight. @param {string} panel */
export function aloneRules(panel) {
  const part = `.st-key-${CSS.escape(panel)}`;
  return `.${GIVING} [data-testid=stMainBlockContainer] [data-testid=stVerticalBlock] >
    :not(:has(${part}), ${part}, ${part} *) { display: none !important; }
    .${GIVING} [data-testid=stMainBlockContainer] :has(> ${part}, > * > ${part}) {
      grid-template: none / minmax(0, 1fr) !important; }
    .${GIVING} [data-testid=stMainBlockContainer] :is(${part}, :has(> ${part})) {
      grid-area: auto !important; flex: 1 1 100% !important; width: 100% !important; }`;
}

/** Letters as large as the screen allows while the whole part stays on it, within reason.
 * @param {HTMLStyleElement} rules what they are written to
 * @param {string} alone the rules that leave the part alone
 * @param {HTMLElement} node the part
 * @param {number} room pixels that it may be high
 * @param {() => void} redraw
 */
export function fit(rules, alone, node, room, redraw) {
  const most = Math.min(MOST_SHARE, innerHeight / MADE_FOR.height, innerWidth / MADE_FOR.width);
  const isKnown = rules.dataset.share && rules.textContent.startsWith(alone);
  let share = isKnown ? Number(rules.dataset.share) : Math.max(1, most);
  const step = (left) => {
    rules.textContent = alone + sizeRules(share);
    rules.dataset.share = String(share);
    // Canvases look at the size of letters once a frame.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (!rules.isConnected || !rules.textContent.startsWith(alone)) return;
        redraw();
        const over = node.scrollHeight / room;
        if (over <= 1 || share === LEAST_SHARE || !left) return;
        share = Math.max(LEAST_SHARE, share / Math.min(over, STEP));
        step(left - 1);
      }),
    );
  };
  step(TRIES);
}

const sizeRules = (share) => `html { font-size: ${ROOT_PIXELS * share}px !important; }
  .stApp { --cell-font: ${CELL_PIXELS * share}px; --least-font: ${CELL_PIXELS * share}px; }`;
