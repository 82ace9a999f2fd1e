import { InputError, parseEnvelope, toUtf8 } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { type Header, parseHeader, storedCiphertext } from '@eaas/protocol/internal';
import {
  having,
  list,
  object,
  positiveInteger,
  requireKind,
  requireOptions,
  type Rule,
} from '@eaas/protocol/internal-options';

/**
 * The id of a row. Each row must have a different id, which never changes. A conversion to JSON and back must not
 * change the id.
 */
export type RowId = string | number | readonly (string | number)[];

/** The value of a column: base64 text, bytes or NULL. A run replaces text with text, and bytes with bytes. */
export type StoredValue = string | Uint8Array | null | undefined;

/** A row that `read` returns. It contains the columns to convert, and any other members that the app needs. */
export interface StoredRow {
  readonly id: RowId;
  readonly values: Readonly<Record<string, StoredValue>>;
}

/** A compare-and-set of one row: write `values` only if the row still has all values of `expected`. */
export interface Change<Row extends StoredRow = StoredRow> {
  readonly id: Row['id'];
  /** The values that the columns had when the row was read. */
  readonly expected: Row['values'];
  /** The new values of the columns. A column that does not change has the same value as in `expected`. */
  readonly values: Row['values'];
  /** The row that `read` returned. */
  readonly row: Row;
}

/** A table whose rows `inventory` or `reencrypt` can read. */
export interface ReadableStore<Row extends StoredRow = StoredRow> {
  /**
   * Returns the next rows, in the order of their ids: the rows after the id `after`, or the first rows if `after` is
   * undefined.
   */
  read(page: { readonly after: Row['id'] | undefined; readonly limit: number }): Promise<readonly Row[]>;
  /** Returns the approximate number of rows, from which an app can compute a percentage. Called once. */
  count?(): Promise<number>;
}

/** The rows that `writeMany` wrote, and those that the database refuses, with a message that contains no value. */
export interface WriteManyResult<Id extends RowId = RowId> {
  readonly written: readonly Id[];
  readonly refused: readonly { readonly id: Id; readonly message: string }[];
}

/** A table of the app that `reencrypt` converts. */
export type Store<Row extends StoredRow = StoredRow> = ReadableStore<Row> &
  (
    | {
        /**
         * Writes one row. Returns true if the row was written, and false if the row no longer had all values of
         * `expected`.
         */
        write(change: Change<Row>): Promise<boolean>;
      }
    | {
        /**
         * Writes a page in one statement. Returns the ids of the rows that were written. The run reads all others again,
         * unless the result is `{ written, refused }`: rows in `refused` count as failed, with the given message.
         */
        writeMany(
          changes: readonly Change<Row>[],
        ): Promise<readonly Row['id'][] | WriteManyResult<Row['id']>>;
      }
  );

const rowId: Rule = (id) =>
  [id].flat().every((part) => typeof part === 'string' || Number.isFinite(part)) ||
  'a string, a number, or an array of strings and numbers';

export async function readPage<Row extends StoredRow>(
  store: ReadableStore<Row>,
  after: Row['id'] | undefined,
  limit: number,
): Promise<readonly Row[]> {
  const rows = await store.read({ after, limit });
  requireKind(list, rows, 'the return value of `read`');
  for (const row of rows) {
    requireKind(object, row, 'a row that `read` returns');
    // The next call of `read` gets the id of the last row as `after`. If this id were undefined, `read` would return
    // the first page again, and the run would never end.
    requireKind(rowId, row.id, 'the `id` of a row that `read` returns');
    requireKind(object, row.values, 'the `values` of a row that `read` returns');
  }
  const keys = new Set(rows.map(({ id }) => idKey(id)));
  if (after !== undefined && keys.has(idKey(after))) {
    throw new InputError(
      '`read` must return only rows whose id is greater than `after` (got the row with the id `after`): compare with >, not >=',
    );
  }
  const ids = [after, ...rows.map(({ id }) => id)].filter((id) => typeof id === 'number');
  const steps = ids.slice(1).map((id, at) => Math.sign(id - (ids[at] ?? id)));
  if (keys.size < rows.length || steps.some((step) => step === 0 || step !== steps[0])) {
    throw new InputError(
      '`read` must return each row once, in the order of the ids: add `order by id` to the query',
    );
  }
  return rows;
}

export function idKey(id: RowId): string {
  return JSON.stringify(id);
}

/** Options of `storedValues`. */
export interface StoredValuesOptions<Row extends StoredRow = StoredRow> {
  /** How many rows `storedValues` reads per page. Defaults to 1,000. */
  readonly pageSize?: number | undefined;
  /** Columns that `storedValues` leaves out because they contain no ciphertexts, such as index columns. */
  readonly except?: readonly (keyof Row['values'] & string)[] | undefined;
}

/**
 * Yields every value of a table, page by page, for `inventory`. Throws InputError if `read` returns a row twice, or if
 * no row has a column that `except` names.
 */
export async function* storedValues<Row extends StoredRow>(
  store: ReadableStore<Row>,
  options: StoredValuesOptions<Row> = {},
): AsyncGenerator<StoredValue, void, undefined> {
  requireKind(having('an object with `read`', 'read'), store, 'the first argument of `storedValues`');
  requireOptions<object>({ pageSize: positiveInteger, except: list }, options, 'storedValues');
  const { pageSize = 1_000 } = options;
  const except = new Set<string>(options.except);
  for (let after: Row['id'] | undefined; ;) {
    const rows = await readPage(store, after, pageSize);
    const last = rows.at(-1);
    if (!last) return;
    const known = rows.flatMap(({ values }) => Object.keys(values));
    const unknown = after === undefined && options.except?.find((name) => !known.includes(name));
    if (typeof unknown === 'string') {
      const names = Array.from(new Set(known)).join(', ');
      throw new InputError(`\`except\` contains \`${unknown}\`, but the rows have only the columns ${names}`);
    }
    for (const { values } of rows) {
      for (const name in values) if (!except.has(name)) yield values[name];
    }
    after = last.id;
  }
}

export interface ParsedCiphertext {
  readonly kind: 'envelope' | 'stream';
  readonly bytes: Uint8Array;
  readonly header: Header;
}

export type Form = { readonly kind: 'empty' | 'plaintext' | 'broken' } | ParsedCiphertext;

/**
 * Returns the kind `broken` for a truncated ciphertext, and not the kind `plaintext`. Otherwise a run would encrypt the
 * truncated ciphertext as a plaintext, and the app would not notice the lost data.
 */
export function formOf(value: StoredValue): Form {
  if (value === null || value === undefined) return { kind: 'empty' };
  const ciphertext = storedCiphertext(value);
  if (ciphertext === undefined) return { kind: 'plaintext' };
  try {
    const bytes = typeof ciphertext === 'string' ? fromBase64(ciphertext) : ciphertext;
    if (bytes[3] === 2) return { kind: 'stream', bytes, header: parseHeader(bytes) };
    return { kind: 'envelope', bytes, header: parseEnvelope(bytes) };
  } catch {
    return { kind: 'broken' };
  }
}

/**
 * Returns whether a value is encrypted. Use this function during a migration, while a table contains plaintext and
 * ciphertexts. During this time, anyone who can write to the table can replace a ciphertext by plaintext.
 */
export function isEncrypted(value: StoredValue): boolean {
  return 'header' in formOf(value);
}

/**
 * Whether the data key was wrapped with a public key (intake). A run always rewraps such a value, because rewrapping
 * makes it smaller.
 */
export const isIntake = ({ wrappedKey }: Header): boolean => wrappedKey[0] === 2;

export function inFormOf(stored: StoredValue, bytes: Uint8Array): string | Uint8Array {
  if (typeof stored === 'string') return toBase64(bytes);
  return typeof storedCiphertext(stored) === 'string' ? toUtf8(toBase64(bytes)) : bytes;
}
