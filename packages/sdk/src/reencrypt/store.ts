import { InputError } from '@eaas/protocol';

/** Where a run stands in the table, and which row is meant: what is unique, never changes, and survives JSON. */
export type RowId = string | number | readonly (string | number)[];

/** A field as the table keeps it. Text stays text (base64), bytes stay bytes; NULL is left alone. */
export type StoredValue = string | Uint8Array | null | undefined;

/** A row as it was read: the fields that are to be converted, and beside them whatever else the application needs. */
export interface StoredRow {
  readonly id: RowId;
  readonly values: Readonly<Record<string, StoredValue>>;
}

/** One row's compare-and-set: all of `values` are written where all of `expected` still stand, or nothing is. */
export interface Change<Row extends StoredRow = StoredRow> {
  readonly id: Row['id'];
  /** Every field as it was read. */
  readonly expected: Row['values'];
  /** Every field as it is to be: those that need no change are the same as in `expected`. */
  readonly values: Row['values'];
  /** The row as it was read. */
  readonly row: Row;
}

/** A table that can be read. */
export interface ReadableStore<Row extends StoredRow = StoredRow> {
  /** The next rows, ordered by id: those after `after`, from the first one on where it is undefined. */
  read(page: { readonly after: Row['id'] | undefined; readonly limit: number }): Promise<readonly Row[]>;
  /** How many rows there are, roughly, for who wants to show a percentage. Asked once. */
  count?(): Promise<number>;
}

/** The application's table, for a run to work on. */
export type Store<Row extends StoredRow = StoredRow> = ReadableStore<Row> &
  (
    | {
        /** Whether the row was written: false where it is no longer what was expected. */
        write(change: Change<Row>): Promise<boolean>;
      }
    | {
        /** The ids of those rows that were written, of a whole page in one statement. */
        writeMany(changes: readonly Change<Row>[]): Promise<readonly Row['id'][]>;
      }
  );

/**
 * Throws InputError where the row is read again that a page was to begin after, which would never end; and where ids that
 * are numbers stand in no order, either way: the rows that such pages leave out would pass for converted.
 */
export function requireBeyond<Row extends StoredRow>(
  rows: readonly Row[],
  after: Row['id'] | undefined,
): void {
  if (after !== undefined && rows.some(({ id }) => idKey(id) === idKey(after))) {
    throw new InputError('`read` answered the row that it was to begin after: compare with >, not >=');
  }
  const ids = [after, ...rows.map(({ id }) => id)].filter((id) => typeof id === 'number');
  const steps = ids.slice(1).map((id, at) => Math.sign(id - (ids[at] ?? id)));
  if (steps.some((step) => step === 0 || step !== steps[0])) {
    throw new InputError('`read` answered rows that are not in the order of their ids, each once');
  }
}

/** An id as text, to look it up by. */
export function idKey(id: RowId): string {
  return JSON.stringify(id);
}
