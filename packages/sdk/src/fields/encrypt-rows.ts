// Encrypts rows of a table, and fills their index columns with fingerprints. A value that is a ciphertext already is refused.
import { requireKind } from '@eaas/protocol/internal';
import type { EncryptItem } from '../client/encrypt.ts';
import { resultOf } from '../errors.ts';
import { failIn, inField, type Where } from './field-error.ts';
import type { FingerprintInput } from './fingerprints.ts';
import {
  callByGroup,
  itemsOf,
  keysOf,
  type EncryptRowOptions,
  type IdOf,
  type Internals,
  type Row,
} from './internals.ts';
import {
  contextOf,
  type FieldPlan,
  requireColumns,
  requireRows,
  requireTable,
  rowIdOf,
  subjectOfRow,
} from './plan.ts';
import { olderForm, writesOlder } from './older-form.ts';
import { ciphertextAmongPlaintext, isCiphertext } from './recognize-ciphertext.ts';
import { refuse, textType, valueIn } from './value-types.ts';
import { requireWritten } from './write-concealed.ts';

interface Cell {
  readonly row: Row;
  readonly plan: FieldPlan;
  readonly where: Where;
  readonly item: EncryptItem;
}

interface Indexed {
  readonly row: Row;
  readonly column: string;
  readonly where: Where;
  readonly inputs: readonly FingerprintInput[];
}

export async function encryptRows(
  { client, fingerprints, plans }: Internals,
  table: string,
  given: readonly Row[],
  idOf: IdOf,
  { revealed = false, ...options }: EncryptRowOptions,
): Promise<Row[]> {
  const plan = requireTable(plans, table);
  requireRows(given);
  requireKind('callback', idOf, 'the third argument');
  const cells: Cell[] = [];
  const indexed: Indexed[] = [];
  const older: (() => Promise<void>)[] = [];
  const rows = given.map((values) => {
    requireColumns(plan, values);
    requireWritten(plan, values, revealed);
    const row = { ...values };
    const id = rowIdOf(idOf(values));
    let subject: string | undefined;
    for (const field of plan.fields) {
      requireOwnIndex(field, values);
      const value = Object.hasOwn(values, field.name) ? values[field.name] : null;
      const where = { table, field: field.name, row: id };
      const isGiven = value !== null && value !== undefined;
      const isOlder = writesOlder(field.field);
      if (isGiven && !isOlder) subject ??= subjectOfRow(plan, values, id, options.subject);
      inField(where, () => {
        if (isGiven && isOlder) {
          encode(field, value); // Checks it.
          older.push(async () => writeOlder(field, value, row, where));
        } else if (isGiven) {
          const context = contextOf(field, id);
          const encoded = encode(field, value);
          const item = { value: encoded, context, ...(subject !== undefined && { subject }) };
          cells.push({ row, plan: field, where, item });
        }
        indexed.push(...indexedOf(field, values, row, where));
      });
    }
    return row;
  });
  const sought = indexed.flatMap(({ inputs }) => inputs);
  const [ciphertexts, written] = await Promise.all([
    callByGroup(cells, keysOf, async (own) =>
      client.encryptMany(itemsOf(own), { ...options, keyId: own[0]?.plan.keyIds?.[0] }),
    ),
    fingerprints.of(client, sought, options, true),
    ...older.map((write) => write()),
  ]);
  for (const [index, { row, plan, where }] of cells.entries()) {
    row[plan.name] = inField(where, () => resultOf(ciphertexts[index]));
  }
  let next = 0;
  for (const { row, column, where, inputs } of indexed) {
    if (inputs.length === 0) continue;
    const found = inField(where, () => inputs.map(() => resultOf(written[next++]?.[0])[0] as string));
    // Sorts the fingerprints, because their order must not reveal the order of the parts in the value.
    row[column] = [...new Set(found)].sort().join(' ');
  }
  return rows;
}

async function writeOlder({ name, field }: FieldPlan, value: unknown, row: Row, where: Where): Promise<void> {
  const written = await olderForm(field, value).catch(failIn(where));
  if (ciphertextAmongPlaintext(written) !== undefined) {
    inField(where, () => refuse('what `write` returned is read as a ciphertext: change the value'));
  }
  row[name] = written;
}

function encode({ name, field }: FieldPlan, value: unknown): string | Uint8Array {
  if (!field.allowCiphertexts && isCiphertext(value)) {
    refuse('the value is already encrypted: to encrypt it again, set `allowCiphertexts` on the field');
  }
  // Does not encode valid text, because the client also accepts text. Encoding the text here would add a copy.
  if (field.type === textType && typeof value === 'string' && value.isWellFormed()) return value;
  const bytes = field.type.encode(value);
  // Checks what is stored, and not `value`, which the schema could change.
  if (field.schema) valueIn(field, name, bytes);
  return bytes;
}

function indexedOf(field: FieldPlan, values: Row, row: Row, where: Where): Indexed[] {
  return field.indexes.map((plan) => {
    const { column, fields, index } = plan;
    const given = valuesOf(fields, column, values);
    // Sets the index column to undefined if all its fields are undefined, and otherwise to null. If the fields have a
    // fingerprint, a later step replaces null by the fingerprint.
    if (fields.some(({ name }) => Object.hasOwn(values, name))) row[column] = given ? null : given;
    const [first, ...others] = given ?? [];
    const parts = first ? index.partsOf(first, ...others) : [];
    return { row, column, where, inputs: parts.map((bytes) => ({ plan, bytes })) };
  });
}

/**
 * Returns the values of the fields that an index covers. Returns undefined if the row has none of these values, and
 * null if one of the values is null. Throws InputError if the row has only some of the values.
 */
function valuesOf(fields: readonly FieldPlan[], column: string, values: Row) {
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
  const index = field.indexes.find(({ column }) => Object.hasOwn(row, column));
  if (!index) return;
  const { column: own, fields } = index;
  const places = fields.map(({ place }) => place).join(' and ');
  const names = fields.map(({ name }) => `\`${name}\``).join(' and ');
  refuse(
    `the SDK computes the index column \`${own}\` from ${places}: pass ${names}, or remove \`${own}\` from the row`,
  );
}
