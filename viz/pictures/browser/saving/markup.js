// Numbers, texts and colours in the notation of SVG.

const SPECIAL = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
// Characters that XML cannot hold: control characters, lone surrogates and two noncharacters.
const NO_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for these
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Escape a text for XML, with U+FFFD for each character that XML cannot hold.
 * @param {unknown} text
 */
export function escaped(text) {
  return String(text)
    .replace(NO_CHARACTERS, "\ufffd")
    .replace(/[&<>"]/g, (letter) => SPECIAL[letter]);
}

/** Round a number to at most two decimals.
 * @param {number} value
 */
export const numbered = (value) => +value.toFixed(2);

/** Convert a CSS colour to a colour that every SVG reader knows, and its opacity.
 * @param {string} css the colour as the browser returns it: "#rrggbb", "rgb(...)", "color(srgb ...)"
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
