// Decrypts rows of a table. Values whose data key is in memory open at once, all others by one call, and `onError` says what
// stands for those that fail.
import {
  attempt,
  FormatError,
  InputError,
  isPromise,
  requireKind,
  storedCiphertext,
} from '@eaas/protocol/internal';
import { isOfPerson } from '../caller.ts';
import type { DecryptItem, Opener } from '../client/decrypt.ts';
import { inside } from '../client/inside.ts';
import { closedError, resultOf, type Settled } from '../errors.ts';
import { clientOf, Concealed, type Held } from './concealed.ts';
import { refuseStatement } from './encrypted-table-error.ts';
import { type FieldError, fieldErrorOf, isOfValue } from './field-error.ts';
import { callByGroup, type IdOf, type Internals, itemsOf, keysOf, type Row } from './internals.ts';
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
import type { DecryptRowOptions } from './records.ts';
import type { RecordId } from './row-types.ts';
import { refuse, valueIn } from './value-types.ts';
import { ciphertextAmongPlaintext, isCiphertext, reportRows } from './recognize-ciphertext.ts';

/** The result for one row of many: the decrypted row, or the error of the first field that failed. */
export type SettledRow<R> = Settled<R, FieldError>;

export type DecryptRowsOptions = DecryptRowOptions<Readonly<Record<string, string | null | undefined>>>;

interface Opening {
  readonly stored: Row;
  readonly row: Row;
  readonly id: string | undefined;
  /** What the function `onError` gets, once it was called for the row. */
  shown?: Row;
  /** The person of the row, once a value was found to belong to one. */
  subject?: string | undefined;
  error?: FieldError;
}

interface Cell {
  readonly opening: Opening;
  readonly column: string;
  readonly plan: FieldPlan;
  /** The ciphertext with its context under each name of its field. */
  readonly items: readonly Exclude<DecryptItem, string | Uint8Array>[];
}

/** With `handles`, each row is that of a handle, and the result has only the value of the handle. */
export async function decryptRows(
  internals: Internals,
  table: string,
  given: readonly Row[],
  idOf: IdOf,
  options: DecryptRowsOptions,
  handles?: readonly Held[],
): Promise<SettledRow<Row>[]> {
  const { client, plans } = internals;
  const { as, onError, subject: named, reveal = [], ...unwrapping } = options;
  const definition = requireTable(plans, table);
  const { fields, known } = columnsOf(definition, as);
  requireRows(given);
  requireKind('callback', idOf, 'the third argument');
  const reader = newReader(internals, table, options);
  const cells: Cell[] = [];
  const older: Promise<void>[] = [];
  const openers = new Map<FieldPlan['keyIds'], Opener | undefined>();

  function openerOf({ keyIds: keyId }: FieldPlan): Opener | undefined {
    // What it refuses, the call for many values refuses too.
    const find = () => client[inside]?.openerFor?.({ ...unwrapping, keyId });
    if (!openers.has(keyId)) openers.set(keyId, attempt(find));
    return openers.get(keyId);
  }

  /** Opens a value whose data key is in memory. The others wait for one call. */
  function take(opening: Opening, column: string, plan: FieldPlan, ciphertext: string | Uint8Array): void {
    const isOwned = (definition.subject !== undefined || named !== undefined) && isOfPerson(ciphertext);
    if (isOwned) opening.subject ??= subjectOfRow(definition, opening.stored, opening.id, named, true);
    const subject = isOwned ? opening.subject : undefined;
    // What does not open here, perhaps opens under another name.
    const bytes = attempt(() => openerOf(plan)?.(ciphertext, contextOf(plan, opening.id), subject));
    if (bytes) {
      opening.row[column] = valueIn(plan.field, plan.name, bytes, true);
      return;
    }
    const item = { ciphertext, ...(subject !== undefined && { subject }) };
    const items = plan.names.map((name) => ({ ...item, context: contextOf(plan, opening.id, name) }));
    cells.push({ opening, column, plan, items });
  }

  function shownOf(opening: Opening): Row {
    opening.shown ??= concealed(opening.stored, fields, opening.id, reader);
    return opening.shown;
  }

  /** Takes what stands for a value that cannot be read. */
  function fail(opening: Opening, column: string, plan: FieldPlan, cause: unknown): void {
    const error = fieldErrorOf(cause, { table, field: plan.name, row: opening.id, isRead: true });
    const handler = onError ?? (error.code === 'subject_erased' ? 'null' : 'throw');
    if (handler === 'throw' || !isOfValue(error.code)) opening.error ??= error;
    else {
      const value = handler === 'null' ? null : handler(error, shownOf(opening));
      if (isPromise(value)) refuse('the function `onError` must return a value (got a promise)');
      opening.row[column] = value;
    }
  }

  async function takeOlder(opening: Opening, column: string, plan: FieldPlan, value: unknown): Promise<void> {
    try {
      opening.row[column] = await readPlaintext(plan, value, opening.stored);
    } catch (error) {
      fail(opening, column, plan, error);
    }
  }

  const openings = given.map((stored, at) => {
    const held = handles?.[at];
    const row = held ? {} : { ...stored };
    const opening: Opening = { stored, row, id: held ? held.id : rowIdOf(idOf(stored)) };
    for (const [column, plan] of held ? [[held.column, held.plan] as const] : fields) {
      for (const index of plan.indexes) delete opening.row[index.column];
      const value = held ? held.value : Object.hasOwn(stored, column) ? stored[column] : null;
      if (value === null || value === undefined) continue;
      try {
        const ciphertext = (plan.field.previous ? ciphertextAmongPlaintext : storedCiphertext)(value);
        const isShown = held || !plan.field.isConcealed || reveal === true || reveal.includes(column);
        // What has a wrong form fails at once.
        if (!isShown && (ciphertext !== undefined || plan.field.previous)) {
          opening.row[column] = new Concealed({ plan, column, value, stored, id: opening.id, reader });
        } else if (ciphertext === undefined) older.push(takeOlder(opening, column, plan, value));
        else take(opening, column, plan, ciphertext);
      } catch (error) {
        fail(opening, column, plan, error);
      }
    }
    return opening;
  });
  const rows = openings.map(({ row }) => row);
  if (definition.fields.length > 0) reportRows(client, table, rows, known);
  await Promise.all(older);
  // One call for all names of a field, so that a data key is requested once.
  const tries = cells.flatMap(({ plan, items }) => items.map((item) => ({ plan, item })));
  const opened = await callByGroup(tries, keysOf, async (own) =>
    client.decryptMany(itemsOf(own), { ...unwrapping, keyId: own[0]?.plan.keyIds }),
  );
  let next = 0;
  for (const { opening, column, plan, items } of cells) {
    const results = opened.slice(next, (next += items.length));
    try {
      const bytes = resultOf(results.find((each) => each?.ok) ?? results[0]);
      opening.row[column] = valueIn(plan.field, plan.name, bytes, true);
    } catch (error) {
      fail(opening, column, plan, error);
    }
  }
  return openings.map(({ row, error }) => (error ? { ok: false, error } : { ok: true, value: row }));
}

/** The stored rows of the copies that `concealed` made. */
const storedRows = new WeakMap<Row, Row>();

/** The stored row of one that `onError` gets. */
export const storedOf = (shown: Row): Row => storedRows.get(shown) ?? shown;

/**
 * Returns what `onError` may see of a stored row, because apps log it: in concealed columns, handles stand for values that are not
 * encrypted. Returns the row itself if it has none.
 */
function concealed(
  stored: Row,
  fields: readonly (readonly [column: string, plan: FieldPlan])[],
  id: string | undefined,
  reader: Held['reader'],
): Row {
  let shown = stored;
  for (const [column, plan] of fields) {
    const value = plan.field.isConcealed && Object.hasOwn(stored, column) ? stored[column] : null;
    if (value === null || value === undefined || isCiphertext(value)) continue;
    if (shown === stored) {
      shown = { ...stored };
      storedRows.set(shown, stored);
    }
    shown[column] = new Concealed({ plan, column, value, stored, id, reader });
  }
  return shown;
}

/** For the core: what `onError` may see of a stored row, which is not decrypted. */
export function shownRow(internals: Internals, table: string, stored: Row, id: RecordId | undefined): Row {
  const { fields } = columnsOf(requireTable(internals.plans, table), {});
  return concealed(stored, fields, rowIdOf(id), newReader(internals, table, {}));
}

/** What the handles of a call share. A function of its own, because a handle keeps all that is in scope here. */
function newReader(internals: Internals, table: string, options: DecryptRowsOptions): Held['reader'] {
  return {
    isOfPeople: requireTable(internals.plans, table).subject !== undefined,
    async open(all, { by = internals.client, signal, failuresAsNull }) {
      const client = clientOf in by ? by[clientOf]() : by;
      const { needsUser, isClosed } = client[inside] ?? {};
      if (isClosed) throw closedError();
      const problem = 'the client has `requireUser`, and nobody is named who reveals the value';
      const remedy = 'pass `by`, such as `client.as(userId)` or a database of `as(userId)`';
      if (needsUser) refuseStatement('user_unknown', { table, column: all[0]?.plan.name }, problem, remedy);
      const onError = failuresAsNull && (options.onError ?? 'throw') === 'throw' ? 'null' : options.onError;
      const own: DecryptRowsOptions = { ...options, signal, onError };
      const rows = all.map(({ stored }) => stored);
      return decryptRows({ ...internals, client }, table, rows, () => undefined, own, all);
    },
  };
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

async function readPlaintext({ name, field }: FieldPlan, stored: unknown, row: Row): Promise<unknown> {
  if (!field.previous) {
    throw new FormatError(
      'the stored value must be a ciphertext, which begins with `eaas`: somebody wrote past Eaas. ' +
        'Find out who. Only while a table is migrated, define the field with `previous: plaintext()`',
    );
  }
  let value: unknown;
  let bytes: Uint8Array;
  try {
    value = await field.previous.read(stored, row);
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
