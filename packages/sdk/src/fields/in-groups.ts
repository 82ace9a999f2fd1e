/** Calls once for each group of items, all groups at once, and answers the results in the order of the items. */
export async function inGroups<Item, Key, Result>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
  call: (key: Key, group: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const groups = new Map<Key, number[]>();
  for (const [at, item] of items.entries()) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(at);
    else groups.set(key, [at]);
  }
  const results: Result[] = [];
  const fill = async ([key, places]: [Key, number[]]): Promise<void> => {
    const group = await call(
      key,
      places.map((at) => items[at] as Item),
    );
    for (const [index, at] of places.entries()) results[at] = group[index] as Result;
  };
  await Promise.all(Array.from(groups, fill));
  return results;
}
