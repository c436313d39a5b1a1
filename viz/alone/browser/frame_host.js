// The notebook's side of the frames that hold pages (page.js): it sends them its colour scheme and sets the height that
// they ask for. Pages in frames can reach neither the notebook nor the network, so both sides exchange messages.

export const MARK = "loupe-frame";
const LEAST = 240; // pixels
const MOST = 2400;

/** Serve all frames of a notebook, only once even if several cells bring this script. */
export function hostFrames() {
  if (document.documentElement.dataset.loupeHost) return;
  document.documentElement.dataset.loupeHost = "here";
  const frames = () =>
    [...document.querySelectorAll(`iframe.${MARK}`)].filter(
      (frame) => frame instanceof HTMLIFrameElement,
    );
  const dress = (frame) =>
    frame.contentWindow.postMessage({ loupeScheme: isDark(frame) ? "dark" : "light" }, "*");
  window.addEventListener("message", ({ data, source }) => {
    const frame = data?.loupeHeight && frames().find((one) => one.contentWindow === source);
    if (!frame) return;
    const height = Math.max(LEAST, Math.min(Number(data.loupeHeight) || LEAST, MOST));
    frame.style.height = `${height}px`;
    dress(frame);
  });
  const again = () => setTimeout(() => frames().forEach(dress), 200); // the notebook's new style sheet may come later
  for (const node of [document.documentElement, document.body])
    new MutationObserver(again).observe(node, { attributes: true });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}

// Return whether a frame is on a dark background: that of the nearest element that has one.
function isDark(frame) {
  for (let node = frame.parentElement; node; node = node.parentElement) {
    const [r, g, b, opacity = 1] = getComputedStyle(node)
      .backgroundColor.match(/[\d.]+/g)
      .map(Number);
    if (opacity > 0.5) return 0.3 * r + 0.6 * g + 0.1 * b < 128;
  }
  return matchMedia("(prefers-color-scheme: dark)").matches;
}
