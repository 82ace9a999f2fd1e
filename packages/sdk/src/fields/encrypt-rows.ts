import type { Context } from '@eaas/protocol';
import { inField, resultOf, type Where } from './field-error.ts';
import { type Subject, subjectOf } from './fingerprints.ts';
import { callByGroup, type EncryptRowOptions, type IdOf, type Internals, type Row } from './internals.ts';
import type { TypedValue } from './part-index.ts';
import {
  contextOf,
  type FieldPlan,
  requireColumns,
  requireRows,
  requireTable,
  rowIdOf,
  subjectOfRow,
} from './plan.ts';
import { isCiphertext } from './recognize-ciphertext.ts';
import { refuse, textType } from './value-types.ts';

interface Cell {
  readonly row: Row;
  readonly plan: FieldPlan;
  readonly where: Where;
  readonly value: string | Uint8Array;
  readonly context: Context;
  readonly subject: string | undefined;
}

interface Mark {
  readonly row: Row;
  readonly column: string;
  readonly where: Where;
  readonly subjects: readonly Subject[];
}

export async function encryptRows(
  { client, fingerprints, plans }: Internals,
  table: string,
  given: readonly Row[],
  idOf: IdOf,
  options: EncryptRowOptions,
): Promise<Row[]> {
  const plan = requireTable(plans, table);
  requireRows(given, idOf);
  const cells: Cell[] = [];
  const marks: Mark[] = [];
  const rows = given.map((values) => {
    requireColumns(plan, values);
    const row = { ...values };
    const id = rowIdOf(idOf(values));
    let subject: string | undefined;
    for (const field of plan.fields) {
      requireOwnIndex(field, values);
      const value = Object.hasOwn(values, field.name) ? values[field.name] : null;
      const where = { table, field: field.name, row: id };
      const isGiven = value !== null && value !== undefined;
      if (isGiven) subject ??= subjectOfRow(plan, values, id, options.subject);
      inField(where, () => {
        if (isGiven) {
          const context = contextOf(field, id);
          cells.push({ row, plan: field, where, value: encode(field, value), context, subject });
        }
        if (field.indexColumns.length > 0) marks.push(...marksOf(field, values, row, where));
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
          group.map(({ value, context, subject }) =>
            subject === undefined ? { value, context } : { value, context, subject },
          ),
          { ...options, keyId },
        ),
    ),
    fingerprints.written(
      client,
      marks.flatMap(({ subjects }) => subjects),
      options,
    ),
  ]);
  for (const [index, { row, plan, where }] of cells.entries()) {
    row[plan.name] = resultOf(ciphertexts[index], where).ciphertext;
  }
  let next = 0;
  for (const { row, column, where, subjects } of marks) {
    if (subjects.length === 0) continue;
    const found = subjects.map(() => resultOf(written[next++], where)[0] as string);
    // Sorts the fingerprints, because their order must not reveal the order of the parts in the value.
    row[column] = [...new Set(found)].sort().join(' ');
  }
  return rows;
}

function encode({ field }: FieldPlan, value: unknown): string | Uint8Array {
  if (!field.allowCiphertexts && isCiphertext(value)) {
    refuse('the value is already encrypted: to encrypt it again, set `allowCiphertexts` on the field');
  }
  // Does not encode valid text, because the client also accepts text. Encoding the text here would add a copy.
  if (field.type === textType && typeof value === 'string' && value.isWellFormed()) return value;
  return field.type.encode(value);
}

function marksOf(field: FieldPlan, values: Row, row: Row, where: Where): Mark[] {
  const marks: Mark[] = [];
  const { indexColumn: column } = field;
  // Sets the index column to undefined if all its fields are undefined, and otherwise to null. If the fields have a
  // fingerprint, a later step replaces null by the fingerprint.
  const reset = (fields: readonly FieldPlan[], index: string): TypedValue[] | null | undefined => {
    const given = valuesOf(fields, index, values);
    if (fields.some(({ name }) => Object.hasOwn(values, name))) row[index] = given ? null : given;
    return given;
  };
  if (column && reset([field], column)) {
    const subject = subjectOf(field, values[field.name]);
    if (subject) marks.push({ row, column, where, subjects: [subject] });
  }
  for (const part of field.parts) {
    const [first, ...others] = reset(part.fields, part.column) ?? [];
    if (!first) continue;
    const subjects = part.index.partsOf(first, ...others).map((bytes) => ({ plan: field, part, bytes }));
    marks.push({ row, column: part.column, where, subjects });
  }
  return marks;
}

/**
 * Returns the values of the fields that an index covers. Returns undefined if the row has none of these values, and
 * null if one of the values is null. Throws InputError if the row has only some of the values.
 */
function valuesOf(
  fields: readonly FieldPlan[],
  column: string,
  values: Row,
): TypedValue[] | null | undefined {
  const given = fields.map(({ name, field: { type } }) => {
    return { name, type, value: Object.hasOwn(values, name) ? values[name] : undefined };
  });
  const missing = given.filter(({ value }) => value === undefined);
  if (missing.length === given.length) return undefined;
  if (missing[0]) {
    const names = fields.map(({ name }) => name).join(', ');
    refuse(`the index \`${column}\` is computed from ${names}: pass a value for \`${missing[0].name}\``);
  }
  return given.some(({ value }) => value === null) ? null : given;
}

function requireOwnIndex(field: FieldPlan, row: Row): void {
  if (Object.hasOwn(row, field.name)) return;
  const own = field.indexColumns.find((column) => Object.hasOwn(row, column));
  if (own === undefined) return;
  const { fields } = field.parts.find(({ column }) => column === own) ?? { fields: [field] };
  const places = fields.map(({ place }) => place).join(' and ');
  const names = fields.map(({ name }) => `\`${name}\``).join(' and ');
  refuse(
    `the SDK computes the index column \`${own}\` from ${places}: pass ${names}, or remove \`${own}\` from the row`,
  );
}
