import { type Context, FormatError } from '@eaas/protocol';
import { storedCiphertext } from '@eaas/protocol/internal';
import { notify } from '../client/events.ts';
import { FieldError, inField, resultOf, type Where } from './field-error.ts';
import { callByGroup, type IdOf, type Internals, type Row, type RowOptions } from './internals.ts';
import {
  contextOf,
  type FieldPlan,
  requireField,
  requireRows,
  requireTable,
  rowIdOf,
  type TablePlan,
} from './plan.ts';
import { ciphertextAmongPlaintext, reportRows } from './recognize-ciphertext.ts';

/** The result for one row of many: the decrypted row, or the error of the first field that failed. */
export type SettledRow<R> =
  | { readonly ok: true; readonly value: R }
  | { readonly ok: false; readonly error: FieldError };

export interface DecryptRowsOptions extends RowOptions {
  readonly as?: Readonly<Record<string, string | null | undefined>> | undefined;
}

interface Opening {
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
}

export async function decryptRows(
  internals: Internals,
  table: string,
  given: readonly Row[],
  idOf: IdOf,
  { as, ...options }: DecryptRowsOptions,
): Promise<SettledRow<Row>[]> {
  const { client, plans } = internals;
  const definition = requireTable(plans, table);
  const { fields, known } = columnsOf(definition, as);
  requireRows(given, idOf);
  const cells: Cell[] = [];
  const openings = given.map((stored) => {
    const opening: Opening = { row: { ...stored } };
    const id = rowIdOf(idOf(stored));
    for (const [column, plan] of fields) {
      for (const index of plan.indexColumns) delete opening.row[index];
      const value = Object.hasOwn(stored, column) ? stored[column] : null;
      if (value === null || value === undefined) continue;
      const where = { table, field: plan.name, row: id };
      attempt(opening, where, () => {
        const ciphertext = ciphertextIn(plan, value);
        if (ciphertext === undefined) opening.row[column] = readPlaintext(internals, plan, value, id);
        else cells.push({ opening, column, plan, where, ciphertext, context: contextOf(plan, id) });
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
        group.map(({ ciphertext, context }) => ({ ciphertext, context })),
        { ...options, keyId: group[0]?.plan.keyIds },
      ),
  );
  for (const [index, { opening, column, plan, where }] of cells.entries()) {
    attempt(opening, where, () => {
      opening.row[column] = plan.field.type.decode(resultOf(opened[index], where));
      plan.reads.encrypted++;
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

function attempt(opening: Opening, where: Where, step: () => void): void {
  try {
    inField(where, step);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    opening.error ??= error;
  }
}

export function ciphertextIn({ field }: FieldPlan, stored: unknown): string | Uint8Array | undefined {
  return field.previous ? ciphertextAmongPlaintext(stored) : storedCiphertext(stored);
}

export function readPlaintext(
  { onPlaintext }: Internals,
  { table, name, field, reads }: FieldPlan,
  stored: unknown,
  row: string | undefined,
): unknown {
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
    throw new FormatError('the function passed to `plaintext` threw an error for the stored value');
  }
  field.type.encode(value);
  reads.plaintext++;
  notify(onPlaintext, { table, field: name, row });
  return value;
}
