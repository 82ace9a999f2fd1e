/**
 * Adds a `reference` (a number) to each item of a batch. The service returns the reference in the result of the item.
 * The first reference is random, so the references of two batches differ.
 */
export function withReferences<Item extends object>(items: readonly Item[]) {
  const start = (Math.random() * 2 ** 32) >>> 0;
  return items.map((item, index) => ({ ...item, reference: `${start + index}` }));
}

/** The maximum number of bytes that `withReferences` adds to an item. A reference has at most ten digits. */
export const referenceBytes = 25;

/** Returns whether each result belongs to the item in the same position. */
export function areInOrder(
  results: readonly { readonly reference?: string | undefined }[],
  items: readonly { readonly reference: string }[],
): boolean {
  return (
    results.length === items.length &&
    results.every(({ reference }, index) => reference === items[index]?.reference)
  );
}
