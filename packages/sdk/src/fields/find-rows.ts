import { subjectOf } from './encrypt-rows.ts';
import { at, resultOf } from './field-error.ts';
import { requireField } from './plan.ts';
import type { Row, RowOptions, Setting } from './setting.ts';
import { refuse } from './value-type.ts';

/** For each field of the query its index column, and all fingerprints that a row with the value may have there. */
export async function where(
  { fingerprints, plans }: Setting,
  table: string,
  query: Row,
  options: Pick<RowOptions, 'signal'> = {},
): Promise<Record<string, string[]>> {
  const names = Object.keys(query);
  // Whoever turns the answer into conditions would else find every row.
  if (names.length === 0) refuse('a query names the fields to search by');
  const terms = names.map(async (field): Promise<[string, string[]]> => {
    const plan = requireField(plans, table, field);
    const place = { table, field, row: undefined };
    const subject = at(place, () => {
      const value = query[field];
      if (!plan.indexColumn) refuse('is not searchable');
      if (value === null || value === undefined) refuse('has no value to search by; search for null as null');
      return subjectOf(plan, value);
    });
    const results = await fingerprints.possible(subject, options);
    return [plan.indexColumn ?? '', [...new Set(results.map((result) => resultOf(result, place)))]];
  });
  return Object.fromEntries(await Promise.all(terms));
}
