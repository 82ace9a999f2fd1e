import type { FieldDescription, PartDescription } from '@eaas/sdk/fields';
import { refuse } from './error.ts';
import type { Model } from './models.ts';
import { type Args, entriesOf, isArgs } from './values.ts';
import type { Work } from './work.ts';

/**
 * Returns the Prisma filter for a condition on an encrypted field. Under `NOT`, callers pass `isExact: true`. The
 * filter is then NULL only if the field is NULL. Otherwise the filter could also be NULL for other rows, and SQL would
 * omit these rows, because `NOT NULL` is NULL.
 */
export async function filterOf(
  work: Work,
  model: Model,
  field: FieldDescription,
  filter: unknown,
  isExact: boolean,
): Promise<Args> {
  if (filter === null) return { [field.name]: null };
  if (!isArgs(filter)) return isIn(work, model, field, [filter], isExact);
  if (Object.keys(filter).length === 0) {
    return refuse(
      'unsupported_filter',
      { model: model.name, field: field.name },
      'the filter is empty',
      'if it is a promise, await it, otherwise omit it',
    );
  }
  const terms = await Promise.all(
    entriesOf(filter).map(([operator, operand]) => termOf(work, model, field, operator, operand, isExact)),
  );
  return terms.length === 1 && terms[0] ? terms[0] : { AND: terms };
}

async function termOf(
  work: Work,
  model: Model,
  field: FieldDescription,
  operator: string,
  operand: unknown,
  isExact: boolean,
): Promise<Args> {
  switch (operator) {
    case 'equals':
      if (operand === null) return { [field.name]: null };
      return isIn(work, model, field, [operand], isExact);
    case 'in':
      return isIn(work, model, field, listOf(model, field, operand), isExact);
    case 'not':
      if (operand === null) return { [field.name]: { not: null } };
      return { NOT: await filterOf(work, model, field, operand, true) };
    case 'notIn':
      return { NOT: await isIn(work, model, field, listOf(model, field, operand), true) };
    default: {
      const part = field.parts.find(({ name }) => name === operator);
      if (part) return hasPart(work, model, field, part, operand, isExact);
      return refuse(
        'unsupported_filter',
        { model: model.name, field: field.name },
        `an encrypted field has no filter \`${operator}\``,
        operator === 'mode'
          ? "define the field with searchable({ normalize: ['lowercase'] })"
          : otherFilters(field),
      );
    }
  }
}

function otherFilters({ parts }: FieldDescription): string {
  const names = ['equals', 'in', 'not', 'notIn', ...parts.map(({ name }) => name)];
  return `filter by \`${names.join('`, `')}\`, or filter the rows after reading them`;
}

function listOf(model: Model, field: FieldDescription, operand: unknown): readonly unknown[] {
  if (Array.isArray(operand)) return operand;
  const place = { model: model.name, field: field.name };
  return refuse('unsupported_filter', place, '`in` and `notIn` take a list of values', 'pass an array');
}

async function isIn(
  work: Work,
  model: Model,
  field: FieldDescription,
  values: readonly unknown[],
  isExact: boolean,
): Promise<Args> {
  const column = requireIndex(model, field);
  if (values.length === 0) return { [column]: { in: [] } };
  for (const value of values) requireValue(model, field, value);
  const marks = await fingerprintsOf(work, model, field, values);
  const matches = { [column]: marks.length === 1 ? marks[0] : { in: marks } };
  if (!isExact || field.type !== 'text') return matches;
  // A text that is empty after normalization has no fingerprint. For such a text, the filter must be false
  // and not NULL, so that `NOT` works.
  return { OR: [{ AND: [matches, { [column]: { not: null } }] }, { [field.name]: '' }] };
}

/** Returns the fingerprints of all values, sorted, so that a query does not show the order of the values. */
export async function fingerprintsOf(
  work: Work,
  model: Model,
  { name }: FieldDescription,
  values: readonly unknown[],
): Promise<string[]> {
  const found = await Promise.all(values.map((value) => work.search(model.table ?? '', { [name]: value })));
  return [...new Set(found.flatMap((terms) => Object.values(terms).flat(2)))].sort();
}

async function hasPart(
  work: Work,
  model: Model,
  field: FieldDescription,
  { name, column, isList, bits, comparison }: PartDescription,
  operand: unknown,
  isExact: boolean,
): Promise<Args> {
  const refusePart = (problem: string, remedy: string): never =>
    refuse('unsupported_filter', { model: model.name, field: field.name }, problem, remedy);
  if (isExact) {
    refusePart(
      `a search by \`${name}\` can find too many rows, so its negation can find too few`,
      'read the rows without this filter, and filter them afterwards',
    );
  }
  if (!work.isRead) {
    refusePart(
      `a search by \`${name}\` can find too many rows, so it cannot choose the rows to write`,
      'read the rows, and select them by their ids',
    );
  }
  if (bits < 64) {
    refusePart(
      `a search in an index of ${bits} bits also finds values that do not match`,
      `define the index \`${name}\` with 64 bits or more`,
    );
  }
  const found = await work.search(model.table ?? '', { [field.name]: { [name]: operand } });
  const terms = found[column] ?? [];
  if (comparison?.isWhole(operand) === false && !work.narrowed.has(operand as object)) {
    refusePart(
      `a search by \`${name}\` from or to a day inside a month also finds other days, which cannot be dropped here`,
      'search from and to whole months (UTC), and drop the other days after reading (`fillPage` of ' +
        '`@eaas/sdk/fields` fills a page), or in the `where` of `findMany` or of a relation that it ' +
        'reads, without `take`, `skip`, `cursor` and `distinct` and outside `OR`, and count or cut the rows ' +
        'yourself',
    );
  }
  if (!isList) return { [column]: { in: terms } };
  const contains = (fingerprint: string): Args => ({ [column]: { contains: fingerprint } });
  return { AND: terms.map((oneOf) => ({ OR: [oneOf].flat().map(contains) })) };
}

/**
 * Throws if the value is an object, because the SDK would read an object as a search for a part of a value.
 */
export function requireValue(model: Model, { name }: FieldDescription, value: unknown): void {
  if (!isArgs(value)) return;
  refuse(
    'unsupported_filter',
    { model: model.name, field: name },
    'a filter compares with a value',
    'search by a part of it with the name of an index of `searchableBy`',
  );
}

export function requireIndex(model: Model, { name, indexColumn, bits }: FieldDescription): string {
  const place = { model: model.name, field: name };
  if (indexColumn === undefined) {
    const remedy = 'define it with searchable(), or filter the rows after reading them';
    return refuse('unsupported_filter', place, 'the field is not searchable', remedy);
  }
  if (bits !== 256) {
    return refuse(
      'unsupported_filter',
      place,
      `an index of ${bits} bits also finds values that do not match`,
      'search with `records.where` and drop the other rows after reading them',
    );
  }
  return indexColumn;
}
