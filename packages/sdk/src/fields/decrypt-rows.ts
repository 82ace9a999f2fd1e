import { type Context, FormatError } from '@eaas/protocol';
import { storedCiphertext } from '../stored-ciphertext.ts';
import { at, FieldError, resultOf, type Where } from './field-error.ts';
import { inGroups } from './in-groups.ts';
import { contextOf, type FieldPlan, requireTable, rowIdOf } from './plan.ts';
import type { IdOf, Row, RowOptions, Setting } from './setting.ts';

/** One row of many: decrypted, or the first of its fields that could not be. */
export type SettledRow<R> =
  | { readonly ok: true; readonly value: R }
  | { readonly ok: false; readonly error: FieldError };

/** A row on its way. */
interface Opening {
  readonly row: Row;
  failed?: FieldError;
}

/** A ciphertext to open, and the row whose column it is. */
interface Cell {
  readonly opening: Opening;
  readonly plan: FieldPlan;
  readonly where: Where;
  readonly ciphertext: string | Uint8Array;
  readonly context: Context;
}

/** The rows with values for ciphertexts, each by itself. All ciphertexts that expect the same keys are opened together. */
export async function decryptRows(
  { client, reads, plans }: Setting,
  table: string,
  given: readonly Row[],
  idOf: IdOf,
  options: RowOptions = {},
): Promise<SettledRow<Row>[]> {
  const fields = requireTable(plans, table);
  const cells: Cell[] = [];
  const openings = given.map((stored) => {
    const opening: Opening = { row: { ...stored } };
    const id = rowIdOf(idOf(stored));
    for (const plan of fields) {
      if (plan.indexColumn) delete opening.row[plan.indexColumn];
      const value = Object.hasOwn(stored, plan.name) ? stored[plan.name] : null;
      if (value === null || value === undefined) continue;
      const where = { table, field: plan.name, row: id };
      attempt(opening, where, () => {
        const ciphertext = storedCiphertext(value);
        if (ciphertext !== undefined) {
          cells.push({ opening, plan, where, ciphertext, context: contextOf(plan, where.row) });
          return;
        }
        opening.row[plan.name] = readPlaintext(plan, value);
        reads.count(plan, 'plaintext', where.row);
      });
    }
    return opening;
  });
  const opened = await inGroups(
    cells,
    ({ plan }) => plan.keyIds?.join(),
    (_, group) => client.decryptMany(group, { ...options, keyId: group[0]?.plan.keyIds }),
  );
  for (const [index, { opening, plan, where }] of cells.entries()) {
    attempt(opening, where, () => {
      opening.row[plan.name] = plan.field.type.decode(resultOf(opened[index], where));
      reads.count(plan, 'encrypted', where.row);
    });
  }
  return openings.map(({ row, failed }) =>
    failed ? { ok: false, error: failed } : { ok: true, value: row },
  );
}

/** All rows; throws the first FieldError. */
export function unsettled(results: readonly SettledRow<Row>[]): Row[] {
  return results.map((result) => {
    if (result.ok) return result.value;
    throw result.error;
  });
}

/** Takes the step, or keeps what went wrong with it: the first failure of the row. */
function attempt(opening: Opening, where: Where, step: () => void): void {
  try {
    at(where, step);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    opening.failed ??= error;
  }
}

/** What is stored and is no ciphertext. FormatError where the field expects none, or it cannot be read. */
export function readPlaintext({ field }: FieldPlan, stored: unknown): unknown {
  if (!field.previous) throw new FormatError('holds no ciphertext');
  let value: unknown;
  try {
    value = field.previous.read(stored);
  } catch {
    // Without a cause: it may quote the value.
    throw new FormatError('holds a plaintext that the function of `plaintext` cannot read');
  }
  field.type.encode(value);
  return value;
}
