// What a query finds among rows that are at hand: for the store in memory, and for rows that were written since a store was
// asked.
import type { SealedWrite } from './store.ts';
import { type Found, idText, type Query, type Ref, refOf, type Where } from './table.ts';

type Values = Readonly<Record<string, unknown>>;

/** Whether the row fulfils all conditions. */
export function matches(row: object, where: readonly Where[]): boolean {
  return where.every((condition) => fulfils((row as Values)[condition[0]], condition));
}

function fulfils(value: unknown, [, is, wanted]: Where): boolean {
  if (is === 'null') return value === null;
  if (value === null || value === undefined) return false;
  if (is === 'filled') return true;
  if (is === 'has') return Array.isArray(value) && value.includes(wanted);
  if (is === 'begins') return wanted.some((one) => idText(value).startsWith(one));
  if (is === 'in') return typeof value === 'string' && wanted.includes(value);
  const order = compare(value, wanted);
  if (is === '=' || is === '<>') return (order === 0) === (is === '=');
  return is === '>=' ? order >= 0 : order <= 0;
}

/** The order of the database: texts by their bytes, so that a page begins where the one before ended. */
export function compare(a: unknown, b: unknown): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    const at = a.findIndex((byte, index) => byte !== b[index]);
    return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
  }
  return a === b ? 0 : (a as number) < (b as number) ? -1 : 1;
}

/** Finds rows, in the query's order, and its page of them. `rowIn` returns the row that an item holds. */
export function find<Item>(
  { where, by, descending, limit, offset = 0 }: Query<never>,
  items: Iterable<Item>,
  rowIn: (item: Item) => object,
): Found<Item> {
  const found = [...items].filter((item) => matches(rowIn(item), where));
  if (by !== undefined) {
    const sign = descending ? -1 : 1;
    const valueOf = (item: Item) => (rowIn(item) as Values)[by];
    found.sort((a, b) => sign * compare(valueOf(a), valueOf(b)));
  }
  const end = limit === undefined ? undefined : offset + limit;
  return { rows: found.slice(offset, end), total: found.length };
}

/** What a query finds after rows were written, or undefined if only the store can tell, because it is a page. */
export function merged(query: Query<never>, found: Found<object>, writes: ReadonlyMap<Ref, SealedWrite>) {
  const own = [...writes.values()].filter(({ table }) => table.name === query.table.name);
  if (own.length === 0) return found;
  const { where, limit, counts, sums } = query;
  if (limit === 0 && counts === true && !sums) {
    const countOf = (row: object | null) => (row && matches(row, where) ? 1 : 0);
    const more = own.reduce((sum, { row, before = null }) => sum + countOf(row) - countOf(before), 0);
    return more === 0 ? found : { ...found, total: found.total + more };
  }
  if (limit !== undefined) return undefined;
  const others = found.rows.filter((row) => !writes.has(refOf(query.table, row as never)));
  const isSame = others.length === found.rows.length && !own.some(({ row }) => matches(row, where));
  return isSame ? found : find(query, [...others, ...own.map(({ row }) => row)], (row) => row);
}
