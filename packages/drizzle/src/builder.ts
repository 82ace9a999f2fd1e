import { type Column, is, type SQL, type SQLChunk, type Subquery, type Table, View } from 'drizzle-orm';
import { whileOpening } from './columns.ts';
import { encryptionOf } from './encryption.ts';

export interface SelectedField {
  readonly path: readonly string[];
  readonly field: unknown;
}

export type Fields = { readonly [key: string]: unknown };

type Source = Table | Subquery | View | SQL;

interface Join {
  readonly table: Source;
  readonly on: SQL | undefined;
  readonly alias: string | undefined;
}

export interface BuilderConfig {
  readonly table: Source;
  readonly fields?: Fields;
  readonly where?: SQL | undefined;
  readonly having?: SQL | undefined;
  readonly joins?: readonly Join[];
  readonly from?: Source | undefined;
  readonly groupBy?: readonly SQLChunk[] | undefined;
  readonly orderBy?: readonly SQLChunk[] | undefined;
  readonly limit?: unknown;
  readonly offset?: unknown;
  readonly distinct?: boolean | { readonly on: readonly SQLChunk[] } | undefined;
  readonly withList?: readonly Subquery[] | undefined;
  readonly setOperators?: readonly { readonly rightSelect: Builder }[];
  readonly values?: unknown;
  readonly select?: unknown;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly returning?: readonly SelectedField[] | undefined;
}

export interface Builder {
  config: BuilderConfig;
  session: Session;
  readonly dialect: { readonly casing: { getColumnCasing(column: Column): string } };
  getSQL(): SQL;
  prepare(): { execute(): Promise<unknown> };
}

interface Session {
  prepareQuery(...args: readonly unknown[]): unknown;
  prepareOneTimeQuery?(...args: readonly unknown[]): unknown;
}

export function methodsOf(builder: object): Record<string, (...args: unknown[]) => unknown> {
  return Object.getPrototypeOf(builder) as Record<string, (...args: unknown[]) => unknown>;
}

export function copyOf(builder: Builder, config: BuilderConfig): Builder {
  const methods = methodsOf(builder);
  const copy = Object.create(builder) as Builder;
  return Object.assign(copy, {
    config,
    session: openingSession(builder.session),
    getSQL: methods['getSQL'],
    prepare: methods['prepare'],
    _prepare: methods['_prepare'],
  });
}

export async function execute(builder: Builder): Promise<unknown> {
  return builder.prepare().execute();
}

function openingSession<S extends Session>(session: S): S {
  const opening = (args: readonly unknown[]): unknown[] =>
    args.map((arg) => {
      if (typeof arg === 'function') {
        return (...given: unknown[]): unknown => whileOpening(() => Reflect.apply(arg, undefined, given));
      }
      return Array.isArray(arg) ? arg.map(openingField) : arg;
    });
  const prepareQuery = (...args: readonly unknown[]): unknown => session.prepareQuery(...opening(args));
  const prepareOneTimeQuery = (...args: readonly unknown[]): unknown =>
    session.prepareOneTimeQuery?.(...opening(args));
  return Object.assign(Object.create(session) as S, { prepareQuery, prepareOneTimeQuery });
}

function openingField(selected: SelectedField): SelectedField {
  return encryptionOf(selected.field)
    ? { ...selected, field: ciphertextColumn(selected.field as Column) }
    : selected;
}

const unchanged = (value: unknown): unknown => value;

/**
 * Returns a column object that returns stored ciphertexts unchanged, so that the package can decrypt them. The object
 * inherits everything else from the encrypted column. A Proxy in place of inheritance would slow down the reading of
 * each row.
 */
function ciphertextColumn(column: Column): Column {
  return Object.assign(Object.create(column) as Column, { mapFromDriverValue: unchanged });
}

export const isView = (value: unknown): value is View => is(value, View);

export function sourcesOf({ table, from, joins = [] }: BuilderConfig): unknown[] {
  return [table, from, ...joins.map((join) => join.table)];
}
