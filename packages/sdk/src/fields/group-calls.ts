export async function callByGroup<Item, Key, Result>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
  call: (group: readonly Item[], key: Key) => Promise<readonly Result[]>,
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
    const group = places.map((at) => items[at] as Item);
    const found = await call(group, key);
    for (const [index, at] of places.entries()) results[at] = found[index] as Result;
  };
  await Promise.all(Array.from(groups, fill));
  return results;
}
