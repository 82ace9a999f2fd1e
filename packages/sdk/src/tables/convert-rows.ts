import { DecryptionError, EaasError, FormatError } from '@eaas/protocol';
import type { SettledRow } from '../fields/decrypt-rows.ts';
import { FieldError, inField } from '../fields/field-error.ts';
import type { Row } from '../fields/internals.ts';
import { type FieldPlan, rowIdOf, type TablePlan } from '../fields/plan.ts';
import { isCiphertext } from '../fields/recognize-ciphertext.ts';
import { isOfPerson, subjectOfRow } from '../fields/row-subject.ts';
import type { RecordId } from '../fields/row-types.ts';
import type { StoredTexts, TableAccess } from './existing-table.ts';
import { readText } from './read-plaintext.ts';

/** The methods of `Records` that convert rows, without the types of a definition. */
export interface RowsCodec {
  encryptRows(table: string, rows: readonly Row[], idOf: (row: Row) => RecordId): Promise<Row[]>;
  decryptRows(
    table: string,
    rows: readonly Row[],
    idOf: (row: Row) => RecordId,
    options: { readonly settled: true },
  ): Promise<SettledRow<Row>[]>;
}

type Texts = Readonly<Record<string, string | null>>;
type Outcome = Texts | undefined | EaasError;

/** Returns a function of one row that converts all rows of the same turn together, which is several times as fast. */
export function inBatches<Item>(
  convert: (items: readonly Item[]) => Promise<readonly Outcome[]>,
): (item: Item) => Promise<Texts | undefined> {
  let items: Item[] = [];
  let running: Promise<readonly Outcome[]> | undefined;
  return async (item) => {
    const at = items.push(item) - 1;
    running ??= Promise.resolve().then(() => {
      const batch = items;
      items = [];
      running = undefined;
      return convert(batch);
    });
    const outcome = (await running)[at];
    if (outcome instanceof EaasError) throw outcome;
    return outcome;
  };
}

interface Work {
  readonly row: StoredTexts;
  /** The stored values, to decrypt, or to read as plaintext. */
  readonly stored: Row;
  /** The values of other columns that hold the plaintext. */
  readonly given: Row;
  readonly isNew: boolean;
}

/** Returns the new texts of each row, undefined for a complete row, or the reason why a row cannot be encrypted. */
export async function convertRows(
  table: string,
  { plan, plans, sources }: TableAccess,
  codec: RowsCodec,
  rows: readonly StoredTexts[],
): Promise<Outcome[]> {
  const outcomes = new Map<StoredTexts, Outcome>();
  const settle = <T>(row: StoredTexts, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof EaasError)) throw error;
      outcomes.set(row, error);
      return undefined;
    }
  };
  const works = rows.flatMap((row) => settle(row, () => workOf(plan, sources, row)) ?? []);
  const idOf = new Map<Row, RecordId>();
  const withId = (values: Row, { id }: StoredTexts): Row => {
    idOf.set(values, id);
    return values;
  };
  const id = (values: Row): RecordId => idOf.get(values) as RecordId;
  const opened = await codec.decryptRows(
    table,
    works.map(({ stored, row }) => withId(stored, row)),
    id,
    { settled: true },
  );
  const plain = works.flatMap(({ row, given, stored, isNew }, at) => {
    const result = opened[at];
    if (!result?.ok) {
      outcomes.set(row, explained(table, result?.error, stored));
      return [];
    }
    return isNew ? [{ row, values: withId({ ...result.value, ...given }, row) }] : [];
  });
  const encrypt = async (some: typeof plain): Promise<void> => {
    const encrypted = await codec.encryptRows(
      table,
      some.map(({ values }) => values),
      id,
    );
    for (const [at, { row }] of some.entries())
      outcomes.set(row, changesOf(plans, row, encrypted[at] as Texts));
  };
  try {
    if (plain.length > 0) await encrypt(plain);
  } catch (error) {
    if (!(error instanceof FieldError) || error.retryable) throw error;
    // One value that cannot be encrypted must not stop the other rows.
    for (const one of plain) {
      await encrypt([one]).catch((cause: unknown) =>
        settle(one.row, () => {
          throw cause;
        }),
      );
    }
  }
  return rows.map((row) => outcomes.get(row));
}

function workOf(plan: TablePlan, sources: TableAccess['sources'], row: StoredTexts): Work | undefined {
  const { table, fields: plans } = plan;
  const { values, plaintexts, person } = row;
  const [given, stored]: [Row, Row] = [{}, { ...person }];
  let isOfSomebody = false;
  let isNew = lacksIndex(plans, values);
  let isSure = true;
  for (const { name, field } of plans) {
    const value = values[name] ?? null;
    const plain = sources.has(name) ? (plaintexts[name] ?? null) : null;
    const isEncrypted = isCiphertext(value);
    if (plain !== null && !isEncrypted) {
      given[name] = inField({ table, field: name, row: rowIdOf(row.id) }, () => readText(field, plain));
      isNew = true;
    } else {
      stored[name] = value;
      isOfSomebody ||= value !== null && isEncrypted && isOfPerson(value);
      isNew ||= value !== null && !isEncrypted;
      // In a column that held plaintext, a user can have stored what looks like a ciphertext.
      isSure &&= value === null || sources.has(name);
    }
  }
  if (!isNew && isSure) return undefined;
  // A row that names nobody fails alone: `encryptRows` and `decryptRows` would throw for all rows.
  if (isNew || isOfSomebody) subjectOfRow(plan, person, rowIdOf(row.id), undefined);
  return { row, stored, given, isNew };
}

/** Whether an index column is NULL although its fields have values, for example because the index is new. */
function lacksIndex(plans: readonly FieldPlan[], values: Texts): boolean {
  const isMissing = (column: string, fields: readonly FieldPlan[]): boolean =>
    !values[column] && fields.every(({ name }) => typeof values[name] === 'string');
  return plans.some(
    (plan) =>
      (plan.indexColumn !== undefined && isMissing(plan.indexColumn, [plan])) ||
      plan.parts.some(({ column, fields }) => isMissing(column, fields)),
  );
}

/** Leaves ciphertexts as they are, because a row can be complete except for one column. */
function changesOf(
  plans: readonly FieldPlan[],
  { values, person }: StoredTexts,
  encrypted: Texts,
): Texts | undefined {
  const ciphertexts = plans.map(({ name }) => name).filter((name) => isCiphertext(values[name]));
  const kept = new Set([...Object.keys(person), ...ciphertexts]);
  const changed = Object.entries(encrypted).filter(
    ([name, value]) => !kept.has(name) && (values[name] ?? null) !== value,
  );
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

function explained(table: string, error: FieldError | undefined, stored: Row): EaasError {
  if (!error) throw new TypeError('the fields must return one result for each row (got fewer results)');
  const { field, row, code } = error;
  if (!isCiphertext(stored[field]) || (code !== 'decryption' && code !== 'format')) return error;
  const problem =
    'the value looks like a ciphertext, but is none of this row and key. If it is plaintext, store it ' +
    'with a field that has `allowCiphertexts`; otherwise restore the row';
  return new FieldError(code === 'format' ? new FormatError(problem) : new DecryptionError(problem), {
    table,
    field,
    row,
  });
}
