// Where the keyboard is has to be seen: a browser scrolls to what is tabbed to, not to what a page gives the focus.

/** Bring into view what gets the keyboard's focus.
 * @param {Window} page
 */
export function followFocus({ document }) {
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element && target.matches(":is(a, button, summary):focus-visible"))
      target.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}
