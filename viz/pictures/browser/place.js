// Whether a choice names its cell.

/** @param {Record<string, unknown>} changes */
export const isPlaced = (changes) => "query" in changes || "key" in changes;

/** Return whether a choice changes the kind of attention without naming a cell.
 * @param {{kind: string}} selection
 * @param {Record<string, unknown>} changes
 */
export const isAdrift = (selection, changes) =>
  "kind" in changes && changes.kind !== selection.kind && !isPlaced(changes);
