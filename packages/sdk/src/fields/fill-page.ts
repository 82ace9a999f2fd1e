// Pages of a search whose candidates are filtered after decryption, for list pages of apps: a `limit` in the database would
// also count the rows that are dropped.
import { InputError, type OptionRules, requireKind, requireNames } from '@eaas/protocol/internal';

/** How `fillPage` reads candidates, and which of them are in the result. */
export interface FillPageOptions<Row, Cursor> {
  /** How many rows a page has. */
  readonly size: number;
  /** Where the page begins: `next` of the page before, or undefined for the first page. */
  readonly after: Cursor | undefined;
  /**
   * Returns the next decrypted candidates in an order that does not change: at most `count`, and only those behind `after`,
   * unless it is undefined.
   */
  readonly read: (after: Cursor | undefined, count: number) => PromiseLike<readonly Row[]>;
  /** Returns the candidates that are in the result, in their order, as `filter` and `onlyMatching` do. */
  readonly keep: (candidates: readonly Row[]) => readonly Row[];
  /** Returns the place of a row in the order of `read`, such as its id. */
  readonly cursorOf: (row: Row) => Cursor;
  /** How many candidates are read at most. Defaults to those of ten pages. */
  readonly most?: number | undefined;
}

/** A page of `fillPage`. */
export interface FilledPage<Row, Cursor> {
  /** At most `size` rows. Fewer are not always the last ones, because `most` can end a page early. */
  readonly rows: Row[];
  /** Where the next page begins. Undefined if no candidates are left. */
  readonly next: Cursor | undefined;
}

const rules: OptionRules<FillPageOptions<never, never>> = {
  size: 'positiveInteger',
  after: 'anything',
  read: 'callback',
  keep: 'callback',
  cursorOf: 'callback',
  most: 'positiveInteger',
};

/**
 * Reads candidates by the app's own query until a page is full, no candidates are left, or `most` are read. A candidate
 * that is dropped costs what a row costs: it is decrypted, and a data key that is not in memory is unwrapped.
 */
export async function fillPage<Row, Cursor>(
  options: FillPageOptions<Row, Cursor>,
): Promise<FilledPage<Row, Cursor>> {
  requireNames(rules, options, 'fillPage');
  const { size, after, read, keep, cursorOf, most = 10 * size } = options;
  for (const [name, value] of Object.entries({ size, read, keep, cursorOf, most }))
    requireKind(rules[name as keyof typeof rules], value, `\`${name}\` of \`fillPage\``);
  const rows: Row[] = [];
  let next = after;
  for (let left = most; left > 0 && rows.length < size; left -= size) {
    const count = Math.min(size, left);
    const candidates = await read(next, count);
    requireKind('list', candidates, 'the result of `read`');
    if (candidates.length > count)
      throw new InputError(
        `\`read\` must return at most ${count} rows (got ${candidates.length}): limit the query to \`count\``,
      );
    const kept = keep(candidates);
    requireKind('list', kept, 'the result of `keep`');
    for (const row of kept) rows.push(row);
    const last = rows.length > size ? rows[size - 1] : candidates[count - 1];
    if (last === undefined) return { rows, next: undefined };
    const place = cursorOf(last);
    if ((place ?? next) === next)
      throw new InputError(
        '`cursorOf` must return another place for each row, and `read` only rows behind `after` (got one place twice)',
      );
    next = place;
  }
  return { rows: rows.slice(0, size), next };
}
