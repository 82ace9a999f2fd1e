// Arguments of Prisma as plain objects: how their members are read, changed and joined.
import { heldIn } from '@eaas/sdk/internal';

export type Args = Record<string, unknown>;

/** Asks once for each column, also if several ask at the same time. */
export function once(ask: (column: string) => Promise<unknown>): (column: string) => Promise<unknown> {
  const answers = new Map<string, Promise<unknown>>();
  return (column) => {
    const answer = answers.get(column) ?? ask(column);
    answers.set(column, answer);
    return answer;
  };
}

/** Returns an object with a value for each name. */
export const argsOf = (names: readonly string[], valueOf: (name: string) => unknown): Args =>
  Object.fromEntries(names.map((name) => [name, valueOf(name)]));

export function isArgs(value: unknown): value is Args {
  return Object.prototype.toString.call(value) === '[object Object]' && !heldIn(value);
}

/** Returns the members of an object, without undefined members, which Prisma ignores. */
export function entriesOf(args: Args): [string, unknown][] {
  return Object.entries(args).filter(([, value]) => value !== undefined);
}

export async function mapItems(items: unknown, work: (item: unknown) => Promise<unknown>): Promise<unknown> {
  return Array.isArray(items) ? Promise.all(items.map(work)) : work(items);
}

/** Rewrites the members of an object, but undefined ones. */
export async function mapMembers(args: Args, work: (name: string, value: unknown) => unknown): Promise<Args> {
  const made = entriesOf(args).map(async ([name, value]) => [name, await work(name, value)] as const);
  return Object.fromEntries(await Promise.all(made));
}

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
