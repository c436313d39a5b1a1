// The change to another page. From the click on a link until that page has arrived, messages of pictures to Python are
// held back. Streamlit would send such a message with the page that it still shows, and so return to that page or clear
// the new one.

const LONGEST_MS = 5000; // a page that has not arrived by then was refused, or is late
const ALONE_MS = 1500; // how long to wait for the selection of a page that has arrived

/** Track whether an explorer is between two pages.
 * @param {import("./types").Loupe} _loupe
 */
export function createDeparture(_loupe) {
  let here = null; // path of the current page
  let goal = null; // path of the requested page
  let next = null; // the request to make once that page has arrived
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
    /** Ask Python for a page. If another page is still awaited, ask as soon as it has arrived.
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
    /** Note that a page has arrived, and return whether it was the awaited one and is complete.
     * @param {string} page
     * @param {boolean} isWhole whether its selection has arrived as well
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

// Hold the messages of pictures between two pages.
function createHeld(isBetween) {
  const held = new Map(); // picture -> its events, each with its latest value
  return {
    /** Return a function that sends a picture's events to Python, at once or when the requested page has arrived.
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
