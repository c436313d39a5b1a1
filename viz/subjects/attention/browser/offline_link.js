// What is selected in a page without a server stands in its address: the file and the place in it are one link.

const NUMBERS = ["layer", "head", "query", "key"];
const LONGEST = 300; // characters of such a link

/** What the end of an address selects: "#kind=cross-attention&layer=1&head=3".
 * @param {string} hash
 */
export function linked(hash) {
  const asked = new URLSearchParams(hash.slice(1, LONGEST));
  const found = NUMBERS.filter((name) => /^\d{1,6}$/.test(asked.get(name) ?? "")).map((name) => [
    name,
    Number(asked.get(name)),
  ]);
  const kind = asked.get("kind");
  return { ...(kind ? { kind } : {}), ...Object.fromEntries(found) };
}

/** Keep the selection in the address, and follow an address that is written by hand.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 */
export function followLink(loupe) {
  const keep = loupe.commit;
  loupe.commit = () => {
    keep();
    const { kind, layer, head, query, key } = loupe.selection;
    const named = Object.entries({ kind, layer, head, query, key }).map(([n, v]) => [n, String(v)]);
    history.replaceState(null, "", `#${new URLSearchParams(named)}`);
  };
  window.addEventListener("hashchange", () => loupe.select(linked(location.hash)));
}
