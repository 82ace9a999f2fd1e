import type { ColumnPlace, OnError, RecordId } from '@eaas/sdk/fields';
import { refuse } from './error.ts';
import { type Model, type Models, targetOf } from './models.ts';
import type { Shape } from './selection.ts';
import { type Args, isArgs } from './values.ts';
import { idOf } from './work.ts';

export type DecryptRows = (
  table: string,
  rows: readonly Args[],
  idOf: (row: Args) => RecordId | undefined,
  options: { readonly onError: OnError },
) => Promise<readonly Args[]>;

/** What values that cannot be decrypted become: in all tables, or by table. */
export type OnErrors<T = Readonly<Record<string, unknown>>> =
  | OnError
  | { readonly [Table in keyof T & string]?: OnError | undefined };

export type OnErrorOf = (table: string) => OnError;

/** Throws EncryptedModelError for an `onError` that says nothing about what to do. */
export function onErrorsOf(given: OnErrors | undefined, model?: string): OnErrorOf {
  const byTable: Readonly<Record<string, OnError | undefined>> = isArgs(given)
    ? (given as Record<string, OnError>)
    : { '*': given };
  for (const handler of Object.values(byTable)) {
    if (handler === undefined || handler === 'throw' || handler === 'null' || typeof handler === 'function')
      continue;
    refuse(
      'unknown_argument',
      { model },
      "`onError` must be 'throw', 'null' or a function",
      "pass 'null' to read a value that cannot be decrypted as null",
    );
  }
  return (table) => (Object.hasOwn(byTable, table) ? byTable[table] : byTable['*']) ?? 'throw';
}

/** Passes the row of the query to the function of the app, instead of the columns that were decrypted. */
function withQueriedRows(onError: OnError, columns: readonly Args[], rows: readonly Args[]): OnError {
  if (typeof onError !== 'function') return onError;
  const queried = new Map<object, Args>(columns.map((values, at) => [values, rows[at] ?? {}]));
  return (error, values) => onError(error, queried.get(values) ?? {});
}

/** Emits an event if a column that is not encrypted holds ciphertexts. */
export type Report = (place: ColumnPlace, values: readonly unknown[]) => void;

interface Found {
  readonly model: Model;
  readonly columns: Args[];
  readonly rows: Args[];
}

export async function openResult(
  models: Models,
  shape: Shape,
  result: unknown,
  decryptRows: DecryptRows,
  report: Report,
  onErrorOf: OnErrorOf,
): Promise<void> {
  const tables = new Map<string, Found>();
  const added: { row: Args; names: readonly string[] }[] = [];

  const collect = (shape: Shape, value: unknown): void => {
    if (Array.isArray(value)) for (const row of value) collect(shape, row);
    if (!isArgs(value)) return;
    const { model } = shape;
    const columns: Args = {};
    for (const name in value) {
      const target = targetOf(models, model, name);
      if (target) collect(shape.relations.get(name) ?? shapeOf(target), value[name]);
      else if (model.encrypted.has(name) || model.id.includes(name)) columns[name] = value[name];
      else if (model.indexes.has(name)) delete value[name];
    }
    if (shape.added.length > 0) added.push({ row: value, names: shape.added });
    if (model.table === undefined) return;
    const found = tables.get(model.table) ?? { model, columns: [], rows: [] };
    tables.set(model.table, found);
    found.columns.push(columns);
    found.rows.push(value);
  };
  collect(shape, result);

  await Promise.all(
    Array.from(tables, async ([table, { model, columns, rows }]) => {
      // Reads no property that is not a column: it can be a computed field of another extension, which would be
      // computed from ciphertexts if it were read here.
      for (const column of model.plain) {
        report(
          { table, column },
          rows.flatMap((row) => (Object.hasOwn(row, column) ? [row[column]] : [])),
        );
      }
      const onError = withQueriedRows(onErrorOf(table), columns, rows);
      const opened = await decryptRows(table, columns, (row) => idOf(model, row), { onError });
      for (const [at, row] of rows.entries()) Object.assign(row, opened[at]);
    }),
  );
  for (const { row, names } of added) for (const name of names) delete row[name];
}

function shapeOf(model: Model): Shape {
  return { model, added: [], relations: new Map() };
}
