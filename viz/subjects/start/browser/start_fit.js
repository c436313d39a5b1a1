// How large the words of Start are: on one line if they remain large enough, else on several.

/** @typedef {ReturnType<typeof import("./start_parts.js").createBoard>} Board */

const SIZE = "--start-size";
const SIZES = [2.6, 2.4, 2.2, 2, 1.85, 1.7, 1.6, 1.5, 1.4]; // rem, tried on one line
const [NARROW, LONG, VERY_LONG] = [640, 40, 120]; // pixels; words
const ON_SEVERAL = { narrow: 1.4, wide: 1.9, long: 1.3, veryLong: 1 };

/** Return the sizes to try, in rem; the last one is used if none fits.
 * @param {number} count of words
 * @param {number} width in pixels
 */
export function sizesOf(count, width) {
  if (count > VERY_LONG) return [ON_SEVERAL.veryLong];
  if (count > LONG) return [ON_SEVERAL.long];
  return [...SIZES, width < NARROW ? ON_SEVERAL.narrow : ON_SEVERAL.wide];
}

/** Start a board at the size of the previous one: if its words fit too, they are measured only once.
 * @param {Board} board
 * @param {Board} before
 */
export function fitAs({ node }, { node: before }) {
  node.className = before.className;
  node.style.setProperty(SIZE, before.style.getPropertyValue(SIZE));
}

/** Set the size of the words of a board.
 * @param {Board} board
 */
export function fitWords({ node, words, cells }) {
  const sizes = sizesOf(cells.length, node.clientWidth);
  const setTo = (size, isLined) => {
    node.style.setProperty(SIZE, `${size}rem`);
    node.classList.toggle("loupe-start-lined", isLined);
  };
  node.classList.toggle("loupe-start-long", cells.length > LONG);
  if (!node.style.getPropertyValue(SIZE)) setTo(sizes[0], false);
  const now = parseFloat(node.style.getPropertyValue(SIZE));
  const wide = cells.reduce((sum, { item }) => sum + item.offsetWidth, 0) / now;
  const last = sizes.at(-1);
  for (const size of sizes) {
    const isTooWide = wide * size > words.clientWidth; // its words alone, without what is between them
    if (isTooWide && size !== last) continue;
    setTo(size, isTooWide);
    const isLined = endOf(cells[0]) !== endOf(cells.at(-1));
    node.classList.toggle("loupe-start-lined", isLined);
    if (!isLined && words.scrollWidth <= node.clientWidth) return;
  }
}

const endOf = ({ item }) => item.offsetTop + item.offsetHeight;
