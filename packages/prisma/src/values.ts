/** Arguments and rows of Prisma without their types. */
export type Args = Record<string, unknown>;

/** Returns whether a value is an object with arguments. False for lists, bytes, Dates, Maps and promises. */
export function isArgs(value: unknown): value is Args {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** Returns the members of an object that are not undefined, because Prisma ignores undefined. */
export function entriesOf(args: Args): [string, unknown][] {
  return Object.entries(args).filter(([, value]) => value !== undefined);
}

/** Applies a function to a single item, or concurrently to each item of a list. */
export async function mapItems(items: unknown, work: (item: unknown) => Promise<unknown>): Promise<unknown> {
  return Array.isArray(items) ? Promise.all(items.map(work)) : work(items);
}

/** Joins conditions into one object. Further conditions on the same column are joined with AND. */
export function joinConditions(conditions: readonly Args[]): Args {
  const joined: Args = {};
  const rest: Args[] = [];
  for (const condition of conditions) {
    if (Object.keys(condition).some((key) => Object.hasOwn(joined, key))) rest.push(condition);
    else Object.assign(joined, condition);
  }
  if (rest.length === 0) return joined;
  return Object.hasOwn(joined, 'AND') ? { AND: [joined, ...rest] } : { ...joined, AND: rest };
}
