import { requireArray } from '@eaas/protocol/internal-options';
import { observed } from '../client/events.ts';
import { inField } from './field-error.ts';
import { subjectOf } from './fingerprints.ts';
import type { Internals, Row } from './internals.ts';
import { type FieldPlan, requireField, requireTable } from './plan.ts';
import { refuse } from './value-types.ts';
import { isPartQuery, requirePart } from './where.ts';

/**
 * Returns the decrypted rows whose values match a query exactly, and drops what a search found besides them: values in
 * the same month as a bound, with the same short fingerprint, or of a row whose fingerprint somebody moved.
 */
export function onlyMatching(
  { client, plans }: Internals,
  table: string,
  rows: readonly Row[],
  query: Row,
): Row[] {
  const plan = requireTable(plans, table);
  requireArray(rows);
  const tests = Object.entries(query).map(([name, asked]) => {
    const field = requireField(plan, name);
    const accepts = inField({ table, field: name, row: undefined }, () => testOf(field, asked));
    return (row: Row) => (row[name] ?? null) !== null && accepts(row[name]);
  });
  if (tests.length === 0) refuse('the query must name at least one field');
  const kept = rows.filter((row) => tests.every((test) => test(row)));
  if (rows.length > 0) {
    const columns = Object.keys(query);
    observed.get(client)?.({ type: 'search.filtered', table, columns, read: rows.length, kept: kept.length });
  }
  return kept;
}

function testOf(field: FieldPlan, asked: unknown): (value: unknown) => boolean {
  if (!isPartQuery(field, asked)) {
    const bytesOf = (value: unknown) => String(subjectOf(field, value)?.bytes);
    const wanted = bytesOf(asked);
    return (value) => bytesOf(value) === wanted;
  }
  const tests = Object.entries(asked).map(([name, query]) => {
    const { comparison } = requirePart(field, name).index;
    if (!comparison)
      return refuse(`the index \`${name}\` cannot compare: filter the decrypted rows yourself`);
    comparison.isWhole(query); // Throws for an invalid query.
    return (value: unknown) => comparison.accepts(value, query);
  });
  return (value) => tests.every((test) => test(value));
}
