// Decrypts rows of a table. Values whose data key is in memory open at once, all others by one call, and `onError` says what
// stands for those that fail.
import { attempt, FormatError, InputError, isPromise, storedCiphertext } from '@eaas/protocol/internal';
import { isOfPerson } from '../caller.ts';
import type { DecryptItem, Opener } from '../client/decrypt.ts';
import { inside } from '../client/inside.ts';
import { resultOf, type Settled } from '../errors.ts';
import { type FieldError, fieldErrorOf, isOfValue } from './field-error.ts';
import { callByKeys, type IdOf, type Internals, type Row } from './internals.ts';
import {
  contextOf,
  type FieldPlan,
  requireField,
  requireRows,
  requireTable,
  rowIdOf,
  subjectOfRow,
  type TablePlan,
} from './plan.ts';
import type { DecryptOptionsOf } from './records.ts';
import { refuse, valueIn } from './value-types.ts';
import { ciphertextAmongPlaintext, isCiphertext, reportRows } from './recognize-ciphertext.ts';

/** The result for one row of many: the decrypted row, or the error of the first field that failed. */
export type SettledRow<R> = Settled<R, FieldError>;

export type DecryptRowsOptions = DecryptOptionsOf<Readonly<Record<string, string | null | undefined>>>;

interface Opening {
  readonly stored: Row;
  readonly row: Row;
  readonly id: string | undefined;
  /** The person of the row, once a value was found to belong to one. */
  subject?: string | undefined;
  error?: FieldError;
}

interface Cell {
  readonly opening: Opening;
  readonly column: string;
  readonly plan: FieldPlan;
  readonly item: Exclude<DecryptItem, string | Uint8Array>;
}

export async function decryptRows(
  { client, plans }: Internals,
  table: string,
  given: readonly Row[],
  idOf: IdOf,
  { as, onError, subject: named, ...options }: DecryptRowsOptions,
): Promise<SettledRow<Row>[]> {
  const definition = requireTable(plans, table);
  const { fields, known } = columnsOf(definition, as);
  requireRows(given, idOf);
  const cells: Cell[] = [];
  const openers = new Map<FieldPlan['keyIds'], Opener | undefined>();

  function openerOf({ keyIds: keyId }: FieldPlan): Opener | undefined {
    // What it refuses, the call for many values refuses too.
    const find = () => client[inside]?.openerFor?.({ ...options, keyId });
    if (!openers.has(keyId)) openers.set(keyId, attempt(find));
    return openers.get(keyId);
  }

  /** Opens a value whose data key is in memory. The others wait for one call. */
  function take(opening: Opening, column: string, plan: FieldPlan, ciphertext: string | Uint8Array): void {
    const context = contextOf(plan, opening.id);
    const isOwned = (definition.subject !== undefined || named !== undefined) && isOfPerson(ciphertext);
    if (isOwned) opening.subject ??= subjectOfRow(definition, opening.stored, opening.id, named, true);
    const subject = isOwned ? opening.subject : undefined;
    const bytes = openerOf(plan)?.(ciphertext, context, subject);
    if (bytes) {
      opening.row[column] = valueIn(plan.field, plan.name, bytes, true);
      return;
    }
    const item = { ciphertext, context, ...(subject !== undefined && { subject }) };
    cells.push({ opening, column, plan, item });
  }

  /** Takes what stands for a value that cannot be read. */
  function fail(opening: Opening, column: string, plan: FieldPlan, cause: unknown): void {
    const error = fieldErrorOf(cause, { table, field: plan.name, row: opening.id, isRead: true });
    const handler = onError ?? (error.code === 'subject_erased' ? 'null' : 'throw');
    if (handler === 'throw' || !isOfValue(error.code)) opening.error ??= error;
    else {
      const value = handler === 'null' ? null : handler(error, opening.stored);
      if (isPromise(value)) refuse('the function `onError` must return a value (got a promise)');
      opening.row[column] = value;
    }
  }

  const openings = given.map((stored) => {
    const opening: Opening = { stored, row: { ...stored }, id: rowIdOf(idOf(stored)) };
    for (const [column, plan] of fields) {
      for (const index of plan.indexes) delete opening.row[index.column];
      const value = Object.hasOwn(stored, column) ? stored[column] : null;
      if (value === null || value === undefined) continue;
      try {
        const ciphertext = (plan.field.previous ? ciphertextAmongPlaintext : storedCiphertext)(value);
        if (ciphertext === undefined) opening.row[column] = readPlaintext(plan, value, stored);
        else take(opening, column, plan, ciphertext);
      } catch (error) {
        fail(opening, column, plan, error);
      }
    }
    return opening;
  });
  const rows = openings.map(({ row }) => row);
  if (definition.fields.length > 0) reportRows(client, table, rows, known);
  const opened = await callByKeys(cells, (items, keyId) => client.decryptMany(items, { ...options, keyId }));
  cells.forEach(({ opening, column, plan }, at) => {
    try {
      opening.row[column] = valueIn(plan.field, plan.name, resultOf(opened[at]), true);
    } catch (error) {
      fail(opening, column, plan, error);
    }
  });
  return openings.map(({ row, error }) => (error ? { ok: false, error } : { ok: true, value: row }));
}

/** Throws InputError for a row whose only ciphertext is in a column that the definition lacks, as of another case or name. */
export function requireSomeField(plan: TablePlan, row: Row, as: DecryptRowsOptions['as']): void {
  const { fields, known } = columnsOf(plan, as);
  if (fields.some(([column]) => Object.hasOwn(row, column))) return;
  const others = Object.keys(row).filter((column) => !known.has(column) && !plan.columns.has(column));
  const lost = others.find((column) => isCiphertext(row[column]));
  const problem = `the row has no field of \`${plan.table}\`, and a ciphertext in \`${lost}\``;
  if (lost !== undefined) refuse(`${problem}: name its field with \`as\`, or null to leave it`);
}

function columnsOf(plan: TablePlan, as: DecryptRowsOptions['as'] = {}) {
  const fields = new Map(plan.fields.map((field) => [field.name, field]));
  const known = new Set(plan.encrypted);
  for (const [column, name] of Object.entries(as).filter((alias) => alias[1] !== undefined)) {
    known.add(column);
    if (name === null) fields.delete(column);
    else fields.set(column, requireField(plan, String(name)));
  }
  return { fields: [...fields], known };
}

function readPlaintext({ name, field }: FieldPlan, stored: unknown, row: Row): unknown {
  if (!field.previous) {
    throw new FormatError(
      'the stored value must be a ciphertext, which begins with `eaas`: somebody wrote past Eaas. ' +
        'Find out who. Only while a table is migrated, define the field with `previous: plaintext()`',
    );
  }
  let value: unknown;
  let bytes: Uint8Array;
  try {
    value = field.previous.read(stored, row);
  } catch {
    // The new error does not contain the original error as `cause`, because the original error might quote the
    // plaintext.
    throw new FormatError(
      'the function passed to `plaintext` threw an error for the stored value: let it read every text of the column, or correct the row',
    );
  }
  try {
    bytes = field.type.encode(value);
  } catch (error) {
    // A stored plaintext of another type is a mistake in the data, and not in the call.
    throw error instanceof InputError ? new FormatError(error.message) : error;
  }
  return field.schema ? valueIn(field, name, bytes, true) : value;
}
