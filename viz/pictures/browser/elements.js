// Elements of the page, and functions that follow their size.

/** Round a number and limit it to the valid indices of a list, 0 to size - 1.
 * @param {number} value
 * @param {number} size
 * @returns {number}
 */
export function clamp(value, size) {
  return Math.max(0, Math.min(Math.round(value), size - 1));
}

/** Make an element: element("button", {class: "x", onclick: f}, "text", child).
 * A tag "svg:path" makes an SVG element. Attributes that are null or false are left out.
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
      node.style.cssText = value; // allowed by a content policy that forbids the attribute
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return /** @type {any} */ (node);
}

/** Make a button that does not submit a form.
 * @param {Record<string, any>} attributes
 * @param {...(Node | string | null | undefined)} children
 */
export function pushButton(attributes, ...children) {
  return element("button", { type: "button", ...attributes }, ...children);
}

/** @type {{hosts: HTMLElement[], rooms: Map<HTMLElement, ReturnType<typeof measured>> | null} | null} */
let batch = null;

/** Draw several pictures together. The first that asks for its size has all of them measured before any is drawn.
 * Otherwise the browser would lay out the page again for each picture.
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

/** Return the space of a picture, and the page's settings for drawing in it.
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
    /** Width in whole pixels. `clientWidth` may round up, and a drawing of that width would wrap onto the next line. */
    width: Math.min(host.clientWidth, Math.floor(host.getBoundingClientRect().width)),
    /** The maximum height in pixels, in presenter mode and while a lecture is given; else null. */
    high: pixels("--picture-high"),
    /** The maximum size of a thumbnail in pixels, if shown to an audience; else null. */
    thumb: pixels("--thumb-most"),
    sans: style.fontFamily,
    mono: style.getPropertyValue("--mono") || "monospace",
  };
}

/** Draw again whenever an element has changed its width or the size of its letters, and when it comes into view.
 * @param {HTMLElement} host
 * @param {() => void} draw
 * @param {AbortSignal} signal ends the observation
 */
export function followWidth(host, draw, signal) {
  const letters = () => getComputedStyle(host).fontSize;
  let [width, type] = [host.clientWidth, letters()]; // the observer also calls once at its start
  const observer = new ResizeObserver(() => {
    const [now, typeNow] = [host.clientWidth, letters()]; // the width is 0 while it is not on the page
    if (now && Math.abs(now - width) < 4 && typeNow === type) return;
    [width, type] = [now, typeNow];
    if (width) draw();
  });
  observer.observe(host);
  signal.addEventListener("abort", () => observer.disconnect());
}

/** Tell style sheets what the page contains, by a class of its root. With `:has` on the whole page, the browser would
 * check again at each change of any element in it.
 * @param {string} name
 * @param {AbortSignal} signal
 * @returns {(isSo: boolean) => void}
 */
export function pageMark(name, signal) {
  const { classList } = document.documentElement;
  signal.addEventListener("abort", () => classList.remove(name));
  return (isSo) => void classList.toggle(name, isSo);
}

/** Make a row of buttons, one of which is pressed.
 * @template V
 * @param {string} label
 * @param {[V, string][]} options the values and their labels
 * @param {V} value the value whose button is pressed
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
