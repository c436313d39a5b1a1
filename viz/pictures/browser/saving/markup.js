// Numbers, texts and colours as SVG writes them.

const SPECIAL = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
// What XML cannot hold at all: control characters, halves of a pair, and two that are no characters.
const NO_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text for XML; what XML cannot hold becomes the sign for that.
 * @param {unknown} text
 */
export function escaped(text) {
  return String(text)
    .replace(NO_CHARACTERS, "\ufffd")
    .replace(/[&<>"]/g, (letter) => SPECIAL[letter]);
}

/** A number with at most two decimals.
 * @param {number} value
 */
export const numbered = (value) => +value.toFixed(2);

/** A colour as CSS has it, as one that every reader of SVG knows and how much of it there is.
 * @param {string} css as the browser gives it back: "#rrggbb", "rgb(...)", "color(srgb ...)"
 */
export function paint(css) {
  if (css === "transparent") return { colour: "none", alpha: 0 };
  const parts = css.match(/^(?:rgba?|color)\((?:srgb )?(.*)\)$/)?.[1].match(/-?[\d.]+(?:e-?\d+)?/g);
  if (!parts) return { colour: css, alpha: 1 };
  const times = css.startsWith("color") ? 255 : 1;
  const [r, g, b] = parts.slice(0, 3).map((part) => Math.round(Number(part) * times));
  const alpha = parts[3] === undefined ? 1 : Number(parts[3]);
  return { colour: alpha ? `rgb(${r},${g},${b})` : "none", alpha };
}
