// `sortRows`: a page of rows in the order of encrypted columns, which no database can sort by.
import {
  attempt,
  InputError,
  integerFrom,
  isDate,
  type OptionRules,
  requireOptions,
} from '@eaas/protocol/internal';
import { heldIn, type OpenOptions, reveal, type RevealedRow } from './concealed.ts';
import { refuseStatement } from './encrypted-table-error.ts';
import type { Row } from './internals.ts';
import { requireRows } from './plan.ts';

/** Options of `sortRows`. */
export interface SortOptions {
  /** The language whose alphabet orders texts, such as `de`. Numbers in texts are ordered by their value. */
  readonly locale?: string | undefined;
  readonly descending?: boolean | undefined;
  /** How many rows come before the page. */
  readonly offset?: number | undefined;
  /** How many rows the page has at most. */
  readonly limit?: number | undefined;
  /** With more rows than this, the call throws before it opens anything. Defaults to 5,000. */
  readonly most?: number | undefined;
}

const sortOptions: OptionRules<SortOptions> = {
  locale: 'text',
  descending: 'flag',
  offset: integerFrom(0),
  limit: 'positiveInteger',
  most: 'positiveInteger',
};

/**
 * Returns a page of rows in the order of one or more columns, which can be concealed: opens only these columns, of all rows, with
 * one request for all data keys. Texts are ordered as in a dictionary, null comes last, and equal rows keep their order. A value
 * that cannot be decrypted is null, unless the `onError` of the read says what stands for it. Throws EncryptedTableError
 * `too_many` for more rows than `most`, and for people's rows without `most`, because each person's data key is a request and an
 * entry in the audit log.
 *
 * @example
 * ```ts
 * import { defineFields, field, sortRows } from '@eaas/sdk/fields';
 *
 * const records = defineFields({ patients: { name: field.text().concealed() } }).for(eaas);
 * const stored = await records.encryptRows('patients', [{ name: 'Bob' }, { name: 'Ada' }], () => '7');
 * const rows = await records.decryptRows('patients', stored, () => '7');
 * const page = await sortRows(rows, 'name', { locale: 'en', limit: 50 });
 * console.log(page.map(({ name }) => name).join()); // Ada,Bob
 * ```
 */
export async function sortRows<Read extends object, const Name extends keyof Read & string>(
  rows: readonly Read[],
  by: Name | readonly Name[],
  options: SortOptions = {},
): Promise<RevealedRow<Read, Name, null>[]> {
  requireRows(rows);
  requireOptions(sortOptions, options, 'sortRows');
  const { locale, descending = false, offset = 0, limit = Infinity, most } = options;
  if (locale !== undefined && !attempt(() => Intl.Collator.supportedLocalesOf(locale))?.length) {
    throw new InputError("unknown `locale`: pass one such as 'en' or 'de'");
  }
  const given = rows as readonly Row[];
  const columns: string[] = [by].flat();
  const handles = given.flatMap((row) => columns.flatMap((column) => heldIn(row[column]) ?? []));
  const refuse = (problem: string, remedy: string): never =>
    refuseStatement('too_many', { table: handles[0]?.plan.table, column: columns.join() }, problem, remedy);
  if (rows.length > (most ?? 5_000)) {
    refuse(`${rows.length} rows are more than ${most ?? 5_000}`, 'narrow the search, or pass `most`');
  }
  if (most === undefined && handles.some(({ reader }) => reader.isOfPeople)) {
    refuse('each person has a data key, whose use is an entry', 'pass `most`, the rows that may be opened');
  }
  const unordered = handles.find(({ plan }) => ['bytes', 'json'].includes(plan.field.type.name));
  if (unordered) {
    throw new InputError(`${unordered.plan.place} has no order: sort by texts, numbers, bigints or dates`);
  }
  const leniently: OpenOptions = { failuresAsNull: true };
  const opened = await reveal(given, columns, leniently);
  const order = orderOf(new Intl.Collator(locale, { numeric: true }), descending ? -1 : 1);
  opened.sort((one, other) =>
    columns.reduce((found, column) => found || order(one[column], other[column]), 0),
  );
  return opened.slice(offset, offset + limit) as RevealedRow<Read, Name, null>[];
}

/** Orders two values. What has no order, such as null and NaN, comes last in both directions. */
const orderOf =
  ({ compare }: Intl.Collator, direction: number) =>
  (first: unknown, second: unknown): number => {
    if (typeof first === 'string' && typeof second === 'string') return direction * compare(first, second);
    if (hasSize(first) && hasSize(second)) return direction * (first < second ? -1 : Number(first > second));
    return rankOf(first) - rankOf(second);
  };

/** What `onError` returned can be of another type than the other values of its column. */
const rankOf = (value: unknown): number => (hasSize(value) ? 0 : 2 - Number(typeof value === 'string'));

const hasSize = (value: unknown): value is number | bigint | boolean | Date =>
  typeof value === 'bigint' ||
  ((typeof value === 'number' || typeof value === 'boolean' || isDate(value)) &&
    !Number.isNaN(Number(value)));
