// Keep the focused element visible: a browser scrolls to it after Tab, but not after a page moves the focus.

/** Scroll to each link, button or fold that receives visible focus.
 * @param {Window} page
 */
export function followFocus({ document }) {
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element && target.matches(":is(a, button, summary):focus-visible"))
      target.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}
