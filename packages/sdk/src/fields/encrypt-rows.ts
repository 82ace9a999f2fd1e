import type { Context } from '@eaas/protocol';
import { storedCiphertext } from '../stored-ciphertext.ts';
import { at, resultOf, type Where } from './field-error.ts';
import type { Subject } from './fingerprints.ts';
import { inGroups } from './in-groups.ts';
import { contextOf, type FieldPlan, requireTable, rowIdOf } from './plan.ts';
import type { IdOf, Row, RowOptions, Setting } from './setting.ts';
import { refuse } from './value-type.ts';

/** A value to encrypt, and the row whose column it is. */
interface Cell {
  readonly row: Row;
  readonly plan: FieldPlan;
  readonly where: Where;
  readonly value: Uint8Array;
  readonly context: Context;
}

/**
 * The rows with ciphertexts for values. All is checked before anything is asked of the service, and where one value
 * fails no row is answered. Throws FieldError.
 */
export async function encryptRows(
  { client, fingerprints, plans }: Setting,
  table: string,
  given: readonly Row[],
  idOf: IdOf,
  options: RowOptions = {},
): Promise<Row[]> {
  const fields = requireTable(plans, table);
  const cells: Cell[] = [];
  const searched: (Cell & Subject)[] = [];
  const rows = given.map((values) => {
    const row = { ...values };
    const id = rowIdOf(idOf(values));
    for (const plan of fields) {
      requireOwnIndex(plan, values);
      if (!Object.hasOwn(values, plan.name)) continue;
      const value = values[plan.name];
      if (value === null || value === undefined) {
        if (plan.indexColumn) row[plan.indexColumn] = value;
        continue;
      }
      const where = { table, field: plan.name, row: id };
      at(where, () => {
        const cell = { row, plan, where, value: encode(plan, value), context: contextOf(plan, where.row) };
        cells.push(cell);
        if (plan.indexColumn) searched.push({ ...cell, bytes: subjectOf(plan, value).bytes });
      });
    }
    return row;
  });
  const [ciphertexts, written] = await Promise.all([
    inGroups(
      cells,
      ({ plan }) => plan.keyIds?.[0],
      (keyId, group) => client.encryptMany(group, { ...options, keyId }),
    ),
    fingerprints.written(searched, options),
  ]);
  for (const [index, { row, plan, where }] of cells.entries()) {
    row[plan.name] = resultOf(ciphertexts[index], where).ciphertext;
  }
  for (const [index, { row, plan, where }] of searched.entries()) {
    row[plan.indexColumn ?? ''] = resultOf(written[index], where);
  }
  return rows;
}

/** The bytes of a value. InputError for one of another type, and for a ciphertext where none is allowed. */
export function encode({ field }: FieldPlan, value: unknown): Uint8Array {
  if (!field.allowEnvelopes && storedCiphertext(value) !== undefined)
    refuse('is encrypted already: `allowEnvelopes` if it must be');
  return field.type.encode(value);
}

/** What is fingerprinted of a value. InputError for one of another type. */
export function subjectOf(plan: FieldPlan, value: unknown): Subject {
  const { type, index } = plan.field;
  // First as it is: a normalization relies on the type.
  const bytes = type.encode(value);
  return { plan, bytes: index ? type.encode(index.normalize(value)) : bytes };
}

/** An index column without its field is left over from another value. */
function requireOwnIndex({ place, name, indexColumn }: FieldPlan, row: Row): void {
  if (!indexColumn || !Object.hasOwn(row, indexColumn) || Object.hasOwn(row, name)) return;
  refuse(`${indexColumn} is made from ${place}: give that too, or neither`);
}
