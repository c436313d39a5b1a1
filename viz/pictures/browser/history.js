// The browser's history: another page, checkpoint, text or stage of Start is a place to come back to; whatever else changes in the
// address changes the place in view. Streamlit does it the other way round: it writes over the address when a text is
// typed, and adds an entry whenever Python sets a part of it, so for each cell.

const PLACE = { checkpoint: null, source: null, target: null, scene: "guess" }; // and what is meant where it is left out

/** Whether two addresses of the app differ in more than how a place is looked at.
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

/** Let a window's history keep places. What is set on the way back belongs to the entry come back to, and what
 * follows from one act of a person to the entry that it made.
 * @param {Window} page
 */
export function keepPlaces(page) {
  const { history, location } = page;
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let returning = false;
  let made = false; // whether the latest act has made an entry
  const set = (state, title, url) => {
    const to = new URL(url ?? location.href, location.href);
    if (to.href === location.href) return; // it is told at the end of each run
    const isNew = !returning && !made && isAnotherPlace(location, to);
    made ||= isNew;
    (isNew ? push : replace)(state, title, url);
  };
  Object.assign(history, { pushState: set, replaceState: set });
  page.addEventListener("popstate", () => (returning = true));
  for (const input of ["pointerdown", "keydown"])
    page.addEventListener(input, () => (returning = made = false), { capture: true });
}
