/** Arguments and rows of Prisma without their types. */
export type Args = Record<string, unknown>;

/** Whether the value has members that are arguments: no list, bytes, Date or Map, and no promise that was not awaited. */
export function isArgs(value: unknown): value is Args {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** The members that are not undefined. Prisma ignores undefined. */
export function entriesOf(args: Args): [string, unknown][] {
  return Object.entries(args).filter(([, value]) => value !== undefined);
}

/** Applies a function to an item or to each item of a list, concurrently. */
export async function mapItems(items: unknown, work: (item: unknown) => Promise<unknown>): Promise<unknown> {
  return Array.isArray(items) ? Promise.all(items.map(work)) : work(items);
}

/** Joins conditions. Conditions on the same column go to AND. */
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
