// Elements of the page, and what follows their size.

/** Bring a number to a place in a list of so many: whole, from 0 to size - 1.
 * @param {number} value
 * @param {number} size
 * @returns {number}
 */
export function clamp(value, size) {
  return Math.max(0, Math.min(Math.round(value), size - 1));
}

/** Make an element: element("button", {class: "x", onclick: f}, "text", child).
 * A tag "svg:path" makes one of a drawing; attributes that are null or false are left out.
 * @template {string} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null | undefined)} children
 * @returns {T extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[T] : T extends `svg:${infer S extends keyof SVGElementTagNameMap}` ? SVGElementTagNameMap[S] : HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const node = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style" && value)
      node.style.cssText = value; // which a policy allows where it allows no attribute
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return /** @type {any} */ (node);
}

/** Make a button that sends no form.
 * @param {Record<string, any>} attributes
 * @param {...(Node | string | null | undefined)} children
 */
export function pushButton(attributes, ...children) {
  return element("button", { type: "button", ...attributes }, ...children);
}

/** @type {{hosts: HTMLElement[], rooms: Map<HTMLElement, ReturnType<typeof measured>> | null} | null} */
let batch = null;

/** Let pictures draw after one another: the first that asks for its room has all measured, before any has drawn. Each
 * would else make the browser lay out anew what the one before it drew.
 * @param {HTMLElement[]} hosts
 * @param {() => void} draw
 */
export function drawTogether(hosts, draw) {
  const outer = batch;
  batch = { hosts, rooms: null };
  try {
    draw();
  } finally {
    batch = outer;
  }
}

/** The room of a picture, and what the page says of how to draw there.
 * @param {HTMLElement} host
 */
export function roomOf(host) {
  if (!batch) return measured(host);
  batch.rooms ??= new Map(batch.hosts.map((each) => [each, measured(each)]));
  return batch.rooms.get(host) ?? measured(host);
}

function measured(host) {
  const style = getComputedStyle(host);
  const pixels = (name) => Number.parseFloat(style.getPropertyValue(name)) || null;
  return {
    /** Whole pixels that it has: `clientWidth` rounds up, and what is drawn as wide goes into the next line. */
    width: Math.min(host.clientWidth, Math.floor(host.getBoundingClientRect().width)),
    /** Pixels that it may be high, in presenter mode and while a lecture is given; else null. */
    high: pixels("--picture-high"),
    /** Pixels of a thumbnail in front of a room of people; else null. */
    thumb: pixels("--thumb-most"),
    sans: style.fontFamily,
    mono: style.getPropertyValue("--mono") || "monospace",
  };
}

/** Draw again when an element has become wider or narrower than it is now or its letters larger or smaller, and when it
 * comes into view.
 * @param {HTMLElement} host
 * @param {() => void} draw
 * @param {AbortSignal} signal ends it
 */
export function followWidth(host, draw, signal) {
  const letters = () => getComputedStyle(host).fontSize;
  let [width, type] = [host.clientWidth, letters()]; // what watches it is called at once as well
  const observer = new ResizeObserver(() => {
    const [now, typeNow] = [host.clientWidth, letters()]; // 0: not on the page
    if (now && Math.abs(now - width) < 4 && typeNow === type) return;
    [width, type] = [now, typeNow];
    if (width) draw();
  });
  observer.observe(host);
  signal.addEventListener("abort", () => observer.disconnect());
}

/** Tell style sheets what the page holds, by a class of its root: a `:has` of the whole page would be asked again at
 * each change of anything below it.
 * @param {string} name
 * @param {AbortSignal} signal
 * @returns {(isSo: boolean) => void}
 */
export function pageMark(name, signal) {
  const { classList } = document.documentElement;
  signal.addEventListener("abort", () => classList.remove(name));
  return (isSo) => void classList.toggle(name, isSo);
}

/** A row of buttons of which one is pressed.
 * @template V
 * @param {string} label
 * @param {[V, string][]} options values and their words
 * @param {V} value the one that is pressed
 * @param {(value: V) => void} choose
 */
export function choice(label, options, value, choose) {
  return element(
    "div",
    { class: "loupe-choice", role: "group", "aria-label": label },
    ...options.map(([option, words]) =>
      pushButton(
        { "aria-pressed": String(option === value), onclick: () => choose(option) },
        words,
      ),
    ),
  );
}
