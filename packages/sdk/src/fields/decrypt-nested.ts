// `decryptNested`: decrypts rows that hold rows of other tables, as an ORM loads them, with one request for all data keys.
import {
  having,
  isBytes,
  isPromise,
  requireArray,
  requireKind,
  requireOptions,
} from '@eaas/protocol/internal';
import { revealRule } from './concealed.ts';
import { type OnError, onErrorRule, type SubstituteOf, type ThrowingUnlessErased } from './field-error.ts';
import { type Row, type RowOptions, rowOptions } from './internals.ts';
import type { Records } from './records.ts';
import type { Aliases, DecryptRowResult, NameOf, RecordId, Revealing, FieldsTables } from './row-types.ts';
import { refuse } from './value-types.ts';

interface UntypedNesting {
  readonly table: string;
  readonly id?: (row: Row) => RecordId;
  readonly as?: object;
  readonly nested?: Readonly<Record<string, UntypedNesting>>;
}

/** Options of `decryptNested`. */
export interface DecryptNestedOptions<Handler = OnError, Reveal = Revealing> extends RowOptions {
  /**
   * What a stored value that cannot be decrypted becomes, in every table. By default, the call throws, but calls that read several
   * rows return null for the values of erased people.
   */
  readonly onError?: Handler | undefined;
  /** Returns the values of concealed fields instead of handles: of all (`true`), or of columns with these names. */
  readonly reveal?: Reveal | undefined;
}

/**
 * Decrypts rows that contain rows of other tables, at any depth: `decryptNested(records, rows, { table: 'patients',
 * nested: { visits: { table: 'visits' } } })`. All tables share one request for data keys. Returns new plain objects.
 * Throws the first FieldError, but returns null for the values of erased people. Throws InputError if a column of
 * `nested` does not contain rows.
 *
 * @example
 * ```ts
 * import { decryptNested, defineFields, field, unencrypted } from '@eaas/sdk/fields';
 *
 * const id = unencrypted('id');
 * const fields = defineFields({ patients: { ...id, name: field.text() }, visits: { ...id, note: field.text() } });
 * const records = fields.for(eaas);
 * const visit = await records.encryptRow('visits', '5', { id: '5', note: 'dry cough' });
 * const patient = { ...(await records.encryptRow('patients', '1', { id: '1', name: 'Ada' })), visits: [visit] };
 * const nesting = { table: 'patients', nested: { visits: { table: 'visits' } } } as const;
 * const [ada] = await decryptNested(records, [patient], nesting);
 * console.log(ada?.visits[0]?.note); // dry cough
 * ```
 */
export function decryptNested<
  T extends FieldsTables,
  Row extends object,
  const Shape extends Nesting<T, Row>,
  Handler extends OnError = ThrowingUnlessErased<T[NameOf<T>]>,
  const Reveal extends Revealing = [],
>(
  records: Records<T>,
  rows: readonly Row[],
  nesting: Shape,
  options?: DecryptNestedOptions<Handler, Reveal>,
): Promise<DecryptNestedResult<T, Row, Shape, SubstituteOf<Handler>, Reveal>[]>;
export async function decryptNested(
  records: Records<FieldsTables>,
  given: readonly object[],
  top: UntypedNesting,
  options: DecryptNestedOptions = {},
): Promise<unknown[]> {
  requireOptions({ ...rowOptions, onError: onErrorRule, reveal: revealRule }, options, 'decryptNested');
  requireKind(having('the return value of `for`', 'decryptRows'), records, 'the first argument');
  requireArray(given);
  const found = new Map<UntypedNesting, [stored: Row, copy: Row][]>();

  const prepare = (nesting: UntypedNesting): void => {
    requireOptions(
      { table: 'text', id: 'callback', as: 'object', nested: 'object' },
      nesting,
      'decryptNested',
    );
    found.set(nesting, []);
    for (const inside of Object.values(nesting.nested ?? {})) prepare(inside);
  };

  const copyOf = (value: unknown, nesting: UntypedNesting): unknown => {
    if (value === null || value === undefined) return value;
    if (Array.isArray(value)) return value.map((item) => copyOf(item, nesting));
    if (!isRow(value)) {
      return refuse(
        `expected rows of \`${nesting.table}\`, or null (got a ${typeof value}): load these rows before ` +
          `the call. If the database returns them as JSON text, parse the text`,
      );
    }
    const stored = { ...value };
    const copy: Row = {};
    for (const [column, inside] of Object.entries(nesting.nested ?? {})) {
      if (!Object.hasOwn(stored, column)) continue;
      copy[column] = copyOf(stored[column], inside);
      delete stored[column];
    }
    found.get(nesting)?.push([stored, copy]);
    return copy;
  };

  prepare(top);
  const rows = given.map((row) => copyOf(row, top));
  await Promise.all(
    Array.from(found, async ([{ table, id = idOf, as = {} }, pairs]) => {
      const stored = pairs.map(([row]) => row);
      const results = await records.decryptRows(table, stored, id, { ...options, as });
      for (const [at, [, copy]] of pairs.entries()) Object.assign(copy, results[at]);
    }),
  );
  return rows;
}

function idOf({ id }: Row): RecordId {
  if (typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint') return id;
  return refuse(
    'each row must have an `id`: select the column `id`, or pass a function `id` that returns the id of a row',
  );
}

/**
 * Returns whether a value is a row. A promise is not a row: some ORMs store a promise in a column whose rows are not
 * loaded yet.
 */
function isRow(value: unknown): value is Row {
  return typeof value === 'object' && !isPromise(value) && !isBytes(value);
}

type RowIn<Value> = NonNullable<Value> extends readonly (infer Row)[] ? Row : NonNullable<Value>;

/** Describes nested rows: the table of the rows, and the columns that contain rows of other tables. */
export type Nesting<T extends FieldsTables, Row> = {
  [Table in NameOf<T>]: {
    readonly table: Table;
    /** Returns the id of a row. Defaults to the value of its column `id`. */
    readonly id?: ((row: Row) => RecordId) | undefined;
    /**
     * If the query renamed columns, this option maps them to fields, in the same way as the option `as` of
     * `decryptRows`.
     */
    readonly as?: Aliases<T[Table], Row> | undefined;
    /** Describes the rows inside a column. The column contains a list of rows, one row, or null. */
    readonly nested?: { readonly [Column in keyof Row]?: Nesting<T, RowIn<Row[Column]>> } | undefined;
  };
}[NameOf<T>];

type NestedIn<Shape> = Shape extends { readonly nested: infer Nested extends object } ? Nested : object;
type AliasesIn<Shape> = Shape extends { readonly as: infer As extends object } ? As : object;

type NestedValue<T extends FieldsTables, Value, Shape, Substitute, Reveal> = Value extends null | undefined
  ? Value
  : Value extends readonly (infer Row)[]
    ? DecryptNestedResult<T, Row, Shape, Substitute, Reveal>[]
    : DecryptNestedResult<T, Value, Shape, Substitute, Reveal>;

/** The type of a row that `decryptNested` returns. */
export type DecryptNestedResult<
  T extends FieldsTables,
  Row,
  Shape,
  Substitute = never,
  Reveal = [],
> = Shape extends {
  readonly table: infer Table extends NameOf<T>;
}
  ? DecryptRowResult<T[Table], Omit<Row, keyof NestedIn<Shape>>, AliasesIn<Shape>, Substitute, Reveal> & {
      [Column in keyof Row & keyof NestedIn<Shape>]: NestedValue<
        T,
        Row[Column],
        NestedIn<Shape>[Column],
        Substitute,
        Reveal
      >;
    }
  : never;
