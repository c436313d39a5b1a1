// The way to another page. From the click on a link until that page is here, pictures keep to themselves what they would
// tell Python. Streamlit sends such a message with the page that it still shows: it would call that page back, or clear
// the one that has come.

const LONGEST_MS = 5000; // a page that has not come by then was refused, or is late
const ALONE_MS = 1500; // until a page that is here is known to follow no selection

/** Knows whether an explorer is between two pages.
 * @param {import("./types").Loupe} _loupe
 */
export function createDeparture(_loupe) {
  let here = null; // path of the page in view
  let goal = null; // path of the page that was asked for
  let next = null; // what to ask for once it is here
  let timer = null;
  const held = createHeld(() => goal !== null);

  const release = () => {
    clearTimeout(timer);
    goal = null;
    held.tell();
    const go = next;
    next = null;
    go?.();
  };
  const leave = (page) => {
    if (page === here && goal === null) return;
    goal = page;
    clearTimeout(timer);
    timer = setTimeout(release, LONGEST_MS);
  };
  return {
    leave,
    /** Ask Python for a page; while another one is awaited, as soon as that is here.
     * @param {string} page
     * @param {() => void} ask
     */
    go(page, ask) {
      const go = () => {
        ask();
        leave(page);
      };
      if (goal === null) go();
      else next = go;
    },
    /** Note the page that has come; return whether it was awaited. What follows a selection says so itself.
     * @param {string} page
     * @param {boolean} isWhole whether its selection is here as well
     */
    arrive(page, isWhole) {
      here = page;
      if (goal !== page) return false;
      clearTimeout(timer);
      if (isWhole) release();
      else timer = setTimeout(release, ALONE_MS);
      return isWhole;
    },
    guard: held.guard,
  };
}

// What pictures keep to themselves between two pages.
function createHeld(isBetween) {
  const held = new Map(); // picture -> its events, with the latest value of each
  return {
    /** Return how a picture tells Python something: at once, or once the page that was asked for is here.
     * @param {{ host: HTMLElement, tell?: import("./types").Trigger }} picture
     * @param {import("./types").Trigger} trigger
     * @returns {import("./types").Trigger}
     */
    guard(picture, trigger) {
      picture.tell = trigger;
      return (event, value) => {
        if (!isBetween()) return trigger(event, value);
        if (!held.has(picture)) held.set(picture, new Map());
        held.get(picture).set(event, value);
      };
    },
    tell() {
      const kept = [...held];
      held.clear();
      for (const [picture, events] of kept)
        if (picture.host.isConnected)
          for (const [event, value] of events) picture.tell(event, value);
    },
  };
}
