// Searches: the fingerprints that find rows, and the comparison of what they found.
import { InputError, isDate, requireArray, requireOptions, suggestion } from '@eaas/protocol/internal';
import type { CallOptions } from '../http/transport.ts';
import { resultOf } from '../errors.ts';
import { failIn, FieldError, inField, type Where } from './field-error.ts';
import type { FingerprintInput } from './fingerprints.ts';
import type { Internals, Row } from './internals.ts';
import { olderTextOf, writesOlder } from './older-form.ts';
import {
  comparedBytes,
  type FieldPlan,
  type IndexPlan,
  partIndexesOf,
  requireField,
  requireTable,
} from './plan.ts';
import { refuse } from './value-types.ts';
import { withoutHandles } from './write-concealed.ts';

interface Condition {
  readonly plan: IndexPlan;
  readonly place: Where;
  readonly asked: unknown;
  readonly inputs: readonly FingerprintInput[];
}

/** What a search needs of an index column. */
export interface Term {
  /** The name of the index column. */
  readonly index: string;
  /** Whether the column holds lists of fingerprints. */
  readonly isList: boolean;
  /** A row must have one fingerprint of each list. */
  readonly lists: readonly (readonly string[])[];
  /** The text by which a search for a whole value also finds rows, in the column itself. */
  readonly older?: string | undefined;
}

export async function where(
  internals: Internals,
  table: string,
  query: Row,
  options: CallOptions = {},
): Promise<Record<string, readonly string[] | readonly (readonly string[])[]>> {
  const terms = await termsOf(internals, table, query, options);
  return Object.fromEntries(terms.map(({ index, isList, lists }) => [index, isList ? lists : lists.flat()]));
}

/** Returns what a search needs, for each index that it uses. Checks the whole query first. */
export async function termsOf(
  internals: Internals,
  table: string,
  query: Row,
  options: CallOptions = {},
): Promise<Term[]> {
  requireOptions({ signal: 'signal' }, options, 'where');
  // Throws for an empty query, because it would match every row.
  if (Object.keys(Object(query)).length === 0) refuse('the query must name at least one field');
  const conditions = Object.entries(query).flatMap(([field, value]) => {
    const plan = requireField(requireTable(internals.plans, table), field);
    const place = { table, field, row: undefined };
    withoutHandles(value, { table, column: field });
    return inField(place, () => conditionsOf(plan, value, place));
  });
  return Promise.all(conditions.map(async (condition) => termOf(internals, condition, options)));
}

async function termOf(
  { client, fingerprints }: Internals,
  { plan, place, inputs, asked }: Condition,
  options: CallOptions,
): Promise<Term> {
  const { name, column, index, fields } = plan;
  const older =
    name === undefined ? await olderTextOf(fields[0].field, asked).catch(failIn(place)) : undefined;
  const found = await fingerprints.of(client, inputs, options);
  const possible = inField(place, () => found.map((results) => results.flatMap((one) => resultOf(one))));

  const isEach = index.isList && index.isAny !== true;
  const lists = isEach ? possible.map(unordered).sort(byFirst) : [unordered(possible.flat())];
  return { index: column, isList: index.isList, lists, older };
}

/**
 * Every fingerprint of a search passes through here on its way into a statement. Whoever reads statements must not see
 * the order of buckets, words or index keys. Fingerprints look random, so the order of their bytes says nothing.
 */
function unordered(fingerprints: readonly string[]): string[] {
  return [...new Set(fingerprints)].sort();
}

const byFirst = ([one = '']: readonly string[], [other = '']: readonly string[]) => (one < other ? -1 : 1);

function conditionsOf(plan: FieldPlan, value: unknown, place: Where): Condition[] {
  if (value === null || value === undefined) {
    refuse('the value to search for must not be null or undefined: find null with `is null` in SQL');
  }
  if (isPartQuery(plan, value)) {
    const parts = Object.entries(value);
    if (parts.length === 0) refuse('the query must name at least one index of the field');
    return parts.map(([name, query]) => conditionOf(requirePart(plan, name), query, place));
  }
  const whole = plan.indexes.find(({ name }) => name === undefined);
  if (whole) return [conditionOf(whole, value, place)];
  const names = plan.indexes.map(({ name }) => name).join(', ');
  return refuse(
    names === ''
      ? 'the field is not searchable: define it with searchable()'
      : `the field is searchable only by ${names}: name one of them, or define the field with searchable()`,
  );
}

function conditionOf(plan: IndexPlan, query: unknown, place: Where): Condition {
  if (query === null || query === undefined) {
    refuse(`the search by \`${plan.name}\` needs a value that is not null or undefined`);
  }
  if (plan.name !== undefined && plan.fields.some(({ field }) => writesOlder(field))) {
    refuse(
      'a search by a part would miss values: the version before changes them, and not what they are found by, so remove ' +
        '`write` first',
    );
  }
  const fields = plan.fields.map(({ name, field: { type } }) => ({ name, type }));
  const inputs = plan.index.soughtBy(query, ...fields).map((bytes) => ({ plan, bytes }));
  if (inputs.length > 0) return { plan, place, asked: query, inputs };
  const cause = new InputError(
    'the value to search for must not be empty after normalization: search for a longer text',
  );
  throw new FieldError(cause, place, 'no_fingerprint');
}

function isPartQuery(plan: FieldPlan, value: unknown): value is Row {
  return partIndexesOf(plan).length > 0 && typeof value === 'object' && !isDate(value);
}

function requirePart(plan: FieldPlan, name: string): IndexPlan {
  const parts = partIndexesOf(plan);
  const names = parts.map((index) => index.name);
  const part = parts[names.indexOf(name)];
  return part ?? refuse(`the field has no index \`${name}\`${suggestion(name, names)}`);
}

/**
 * Returns the decrypted rows whose values match a query exactly, and drops what a search found besides them: values in
 * the same month as a bound, with the same short fingerprint, or of a row whose fingerprint somebody moved.
 */
export function onlyMatching({ plans }: Internals, table: string, rows: readonly Row[], query: Row): Row[] {
  const plan = requireTable(plans, table);
  requireArray(rows);
  const tests = Object.entries(query).map(([name, asked]) => {
    const field = requireField(plan, name);
    withoutHandles(asked, { table, column: name });
    const accepts = inField({ table, field: name, row: undefined }, () => testOf(field, asked));
    return (row: Row) => (row[name] ?? null) !== null && accepts(row[name]);
  });
  if (tests.length === 0) refuse('the query must name at least one field');
  for (const row of rows) for (const column in query) withoutHandles(row[column], { table, column });
  return rows.filter((row) => tests.every((test) => test(row)));
}

function testOf(field: FieldPlan, asked: unknown): (value: unknown) => boolean {
  if (!isPartQuery(field, asked)) {
    const bytesOf = (value: unknown) => String(comparedBytes(field.field, value));
    const wanted = bytesOf(asked);
    return (value) => bytesOf(value) === wanted;
  }
  const tests = Object.entries(asked).map(([name, query]) => {
    const { comparison } = requirePart(field, name).index;
    if (!comparison) {
      return refuse(`the index \`${name}\` cannot compare: filter the decrypted rows yourself`);
    }
    comparison.isWhole(query); // Throws for an invalid query.
    return (value: unknown) => comparison.accepts(value, query);
  });
  return (value) => tests.every((test) => test(value));
}
