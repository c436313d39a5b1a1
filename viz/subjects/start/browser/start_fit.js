// How large the words of Start are: on one line if they then are still large, else on several.

const SIZES = [2.6, 2.4, 2.2, 2, 1.85, 1.7, 1.6, 1.5, 1.4]; // rem, tried on one line
const [NARROW, LONG, VERY_LONG] = [640, 40, 120]; // pixels; words
const ON_SEVERAL = { narrow: 1.4, wide: 1.9, long: 1.3, veryLong: 1 };

/** The sizes to try, in rem; the last one holds in any case.
 * @param {number} count words
 * @param {number} width pixels
 */
export function sizesOf(count, width) {
  if (count > VERY_LONG) return [ON_SEVERAL.veryLong];
  if (count > LONG) return [ON_SEVERAL.long];
  return [...SIZES, width < NARROW ? ON_SEVERAL.narrow : ON_SEVERAL.wide];
}

/** Set the size of the words of a board.
 * @param {ReturnType<typeof import("./start_parts.js").createBoard>} board
 */
export function fitWords({ node, words, cells }) {
  const sizes = sizesOf(cells.length, node.clientWidth);
  node.classList.toggle("loupe-start-long", cells.length > LONG);
  for (const size of sizes) {
    node.style.setProperty("--start-size", `${size}rem`);
    const [first, last] = [cells[0], cells.at(-1)].map(
      ({ item }) => item.offsetTop + item.offsetHeight,
    );
    node.classList.toggle("loupe-start-lined", first !== last);
    if (first === last && words.scrollWidth <= node.clientWidth) return;
  }
}
