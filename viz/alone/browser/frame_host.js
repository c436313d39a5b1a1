// The notebook's side of the frames that hold pages (page.js): it gives them its colours and the height that they
// ask for. What is in a frame can reach neither the notebook nor the network, so each tells the other what it wants.

export const MARK = "loupe-frame";
const LEAST = 240; // pixels
const MOST = 2400;

/** Serve all frames of a notebook, once for it, however many cells bring this script. */
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
  const again = () => setTimeout(() => frames().forEach(dress), 200); // the notebook's new sheet may come later
  for (const node of [document.documentElement, document.body])
    new MutationObserver(again).observe(node, { attributes: true });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}

// Whether a frame stands on a dark ground: that of the nearest element which has one.
function isDark(frame) {
  for (let node = frame.parentElement; node; node = node.parentElement) {
    const [r, g, b, opacity = 1] = getComputedStyle(node)
      .backgroundColor.match(/[\d.]+/g)
      .map(Number);
    if (opacity > 0.5) return 0.3 * r + 0.6 * g + 0.1 * b < 128;
  }
  return matchMedia("(prefers-color-scheme: dark)").matches;
}
