// The browser's history. Another page, checkpoint, text or stage of Start gets a new entry. All other changes of the
// address update the current entry. Streamlit does the opposite: a typed text replaces the address, and each part of it
// that Python sets, such as a cell, adds an entry.

const PLACE = { checkpoint: null, source: null, target: null, scene: "guess" }; // with their defaults

/** Return whether two addresses of the app differ in more than the view of one place.
 * @param {URL | Location} from
 * @param {URL} to
 */
export function isAnotherPlace(from, to) {
  if (from.pathname !== to.pathname) return true;
  const [before, after] = [from, to].map((address) => new URLSearchParams(address.search));
  return Object.entries(PLACE).some(
    ([name, usual]) => (before.get(name) ?? usual) !== (after.get(name) ?? usual),
  );
}

/** Make a window's history keep places. Changes after going back update the entry that was returned to, and changes
 * that follow from one action of a person update the entry that it made.
 * @param {Window} page
 */
export function keepPlaces(page) {
  const { history, location } = page;
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let returning = false;
  let made = false; // whether the latest action has made an entry
  const set = (state, title, url) => {
    const to = new URL(url ?? location.href, location.href);
    if (to.href === location.href) return; // Python sends the address at the end of each run
    const isNew = !returning && !made && isAnotherPlace(location, to);
    made ||= isNew;
    (isNew ? push : replace)(state, title, url);
  };
  Object.assign(history, { pushState: set, replaceState: set });
  page.addEventListener("popstate", () => (returning = true));
  for (const input of ["pointerdown", "keydown"])
    page.addEventListener(input, () => (returning = made = false), { capture: true });
}
