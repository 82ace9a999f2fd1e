import type { Context } from '@eaas/protocol';
import { callByGroup } from './group-calls.ts';
import { isCiphertext } from './ciphertext-test.ts';
import { at, resultOf, type Where } from './field-error.ts';
import { type Subject, subjectOf } from './fingerprints.ts';
import type { IdOf, Internals, Row, RowOptions } from './internals.ts';
import { contextOf, type FieldPlan, requireColumns, requireTable, rowIdOf } from './plan.ts';
import { refuse } from './value-type.ts';

/** A value to encrypt, and the row that gets the ciphertext. */
interface Cell {
  readonly row: Row;
  readonly plan: FieldPlan;
  readonly where: Where;
  readonly value: Uint8Array;
  readonly context: Context;
}

/**
 * Returns the rows with ciphertexts and index columns. Checks everything before the first request, and returns no row if one
 * value fails. Throws FieldError, and InputError for columns that are not defined.
 */
export async function encryptRows(
  { client, fingerprints, plans }: Internals,
  table: string,
  given: readonly Row[],
  idOf: IdOf,
  options: RowOptions,
): Promise<Row[]> {
  const plan = requireTable(plans, table);
  const cells: Cell[] = [];
  const searched: (Cell & Subject)[] = [];
  const rows = given.map((values) => {
    requireColumns(plan, values);
    const row = { ...values };
    const id = rowIdOf(idOf(values));
    for (const field of plan.fields) {
      requireOwnIndex(field, values);
      if (!Object.hasOwn(values, field.name)) continue;
      const value = values[field.name];
      if (field.indexColumn) row[field.indexColumn] = value === undefined ? undefined : null;
      if (value === null || value === undefined) continue;
      const where = { table, field: field.name, row: id };
      at(where, () => {
        const bytes = encode(field, value);
        const cell = { row, plan: field, where, value: bytes, context: contextOf(field, id) };
        cells.push(cell);
        const subject = field.indexColumn ? subjectOf(field, value) : undefined;
        if (subject) searched.push({ ...cell, ...subject });
      });
    }
    return row;
  });
  const [ciphertexts, written] = await Promise.all([
    callByGroup(
      cells,
      ({ plan }) => plan.keyIds?.[0],
      (group, keyId) =>
        client.encryptMany(
          group.map(({ value, context }) => ({ value, context })),
          { ...options, keyId },
        ),
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

/** Encodes a value. Throws InputError for a value of another type, and for a ciphertext unless the field allows it. */
export function encode({ field }: FieldPlan, value: unknown): Uint8Array {
  if (!field.allowCiphertexts && isCiphertext(value)) {
    refuse(
      'the value is already encrypted: to encrypt a ciphertext again, set `allowCiphertexts` on the field',
    );
  }
  return field.type.encode(value);
}

/** Throws InputError for an index column without its field, because its fingerprint belongs to another value. */
function requireOwnIndex({ place, name, indexColumn }: FieldPlan, row: Row): void {
  if (!indexColumn || !Object.hasOwn(row, indexColumn) || Object.hasOwn(row, name)) return;
  refuse(`\`${indexColumn}\` is computed from ${place}: pass \`${name}\` too, or omit both`);
}
