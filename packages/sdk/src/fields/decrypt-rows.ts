import { type Context, FormatError, InputError } from '@eaas/protocol/internal-core';
import { isPromise, storedCiphertext } from '@eaas/protocol/internal';
import { isOfPerson } from '../client/caller.ts';
import { FieldError, inField, isOfValue, type OnError, resultOf, type Where } from './field-error.ts';
import { callByGroup, type IdOf, type Internals, type Row, type RowOptions } from './internals.ts';
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
import { refuse } from './value-types.ts';
import { ciphertextAmongPlaintext, reportRows } from './recognize-ciphertext.ts';

/** The result for one row of many: the decrypted row, or the error of the first field that failed. */
export type SettledRow<R> =
  | { readonly ok: true; readonly value: R }
  | { readonly ok: false; readonly error: FieldError };

export interface DecryptRowsOptions extends RowOptions {
  readonly as?: Readonly<Record<string, string | null | undefined>> | undefined;
  /** Undefined stands for `throw`, except that the values of an erased person are null. */
  readonly onError?: OnError | undefined;
}

interface Opening {
  readonly stored: Row;
  readonly row: Row;
  error?: FieldError;
}

interface Cell {
  readonly opening: Opening;
  readonly column: string;
  readonly plan: FieldPlan;
  readonly where: Where;
  readonly ciphertext: string | Uint8Array;
  readonly context: Context;
  readonly subject: string | undefined;
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
  const openings = given.map((stored) => {
    const opening: Opening = { stored, row: { ...stored } };
    const id = rowIdOf(idOf(stored));
    for (const [column, plan] of fields) {
      for (const index of plan.indexColumns) delete opening.row[index];
      const value = Object.hasOwn(stored, column) ? stored[column] : null;
      if (value === null || value === undefined) continue;
      const where = { table, field: plan.name, row: id, isRead: true };
      attempt(opening, column, where, onError, () => {
        const ciphertext = ciphertextIn(plan, value);
        if (ciphertext === undefined) opening.row[column] = readPlaintext(plan, value);
        else {
          const isOwned = (definition.subject !== undefined || named !== undefined) && isOfPerson(ciphertext);
          const subject = isOwned ? subjectOfRow(definition, stored, id, named, true) : undefined;
          cells.push({ opening, column, plan, where, ciphertext, context: contextOf(plan, id), subject });
        }
      });
    }
    return opening;
  });
  if (definition.fields.length > 0) {
    reportRows(
      client,
      table,
      openings.map(({ row }) => row),
      known,
    );
  }
  const opened = await callByGroup(
    cells,
    ({ plan }) => plan.keyIds?.join(),
    (group) =>
      client.decryptMany(
        group.map(({ ciphertext, context, subject }) =>
          subject === undefined ? { ciphertext, context } : { ciphertext, context, subject },
        ),
        { ...options, keyId: group[0]?.plan.keyIds },
      ),
  );
  for (const [index, { opening, column, plan, where }] of cells.entries()) {
    attempt(opening, column, where, onError, () => {
      opening.row[column] = plan.field.type.decode(resultOf(opened[index], where));
    });
  }
  return openings.map(({ row, error }) => (error ? { ok: false, error } : { ok: true, value: row }));
}

function columnsOf(plan: TablePlan, as: DecryptRowsOptions['as'] = {}) {
  const fields = new Map(plan.fields.map((field) => [field.name, field]));
  const known = new Set(plan.fields.flatMap((field) => [field.name, ...field.indexColumns]));
  for (const [column, name] of Object.entries(as).filter((alias) => alias[1] !== undefined)) {
    known.add(column);
    if (name === null) fields.delete(column);
    else fields.set(column, requireField(plan, String(name)));
  }
  return { fields: [...fields], known };
}

type Given = DecryptRowsOptions['onError'];

function attempt(opening: Opening, column: string, where: Where, given: Given, step: () => void): void {
  try {
    inField(where, step);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const onError = given ?? (error.code === 'subject_erased' ? 'null' : 'throw');
    if (onError === 'throw' || !isOfValue(error.code)) opening.error ??= error;
    else opening.row[column] = onError === 'null' ? null : substitute(onError(error, opening.stored));
  }
}

function substitute(value: unknown): unknown {
  return isPromise(value) ? refuse('the function `onError` must return a value (got a promise)') : value;
}

function ciphertextIn({ field }: FieldPlan, stored: unknown): string | Uint8Array | undefined {
  return field.previous ? ciphertextAmongPlaintext(stored) : storedCiphertext(stored);
}

function readPlaintext({ field }: FieldPlan, stored: unknown): unknown {
  if (!field.previous) {
    throw new FormatError(
      'the stored value must be a ciphertext, which begins with `eaas`: if it is plaintext, define the field with `previous: plaintext()`',
    );
  }
  let value: unknown;
  try {
    value = field.previous.read(stored);
  } catch {
    // The new error does not contain the original error as `cause`, because the original error might quote the
    // plaintext.
    throw new FormatError(
      'the function passed to `plaintext` threw an error for the stored value: let it read every text of the column, or correct the row',
    );
  }
  requireType(field.type, value);
  return value;
}

/** A stored plaintext of another type is a mistake in the data, and not in the call. */
function requireType(type: FieldPlan['field']['type'], value: unknown): void {
  try {
    type.encode(value);
  } catch (error) {
    throw error instanceof InputError ? new FormatError(error.message) : error;
  }
}
