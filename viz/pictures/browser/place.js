// Whether a choice says which cell it means.

/** @param {Record<string, unknown>} changes */
export const isPlaced = (changes) => "query" in changes || "key" in changes;

/** Whether a choice leads to another kind of attention without a cell of it.
 * @param {{kind: string}} selection
 * @param {Record<string, unknown>} changes
 */
export const isAdrift = (selection, changes) =>
  "kind" in changes && changes.kind !== selection.kind && !isPlaced(changes);
