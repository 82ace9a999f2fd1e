import type { OnError, RecordId } from '@eaas/sdk/fields';
import { refuse } from './error.ts';
import { type Model, type Models, targetOf } from './models.ts';
import type { Shape } from './selection.ts';
import { type Args, isArgs } from './values.ts';
import { idOf } from './work.ts';

export type IdOf = (row: Args) => RecordId | undefined;

/** What values that cannot be decrypted become: in all tables, or by table. */
export type OnErrors<T = Readonly<Record<string, unknown>>> =
  | OnError
  | { readonly [Table in keyof T & string]?: OnError | undefined };

/** Undefined is the default of the SDK for lists. */
export type OnErrorOf = (table: string) => OnError | undefined;

/** Throws EncryptedModelError for an `onError` that says nothing about what to do. */
export function onErrorsOf(given: OnErrors | undefined, model?: string): OnErrorOf {
  const byTable: Readonly<Record<string, OnError | undefined>> = isArgs(given) ? given : { '*': given };
  for (const handler of Object.values(byTable)) {
    if (handler === undefined || handler === 'throw' || handler === 'null' || typeof handler === 'function')
      continue;
    const remedy = "pass 'null' to read a value that cannot be decrypted as null";
    refuse('unknown_argument', { model }, "`onError` must be 'throw', 'null' or a function", remedy);
  }
  return (table) => (Object.hasOwn(byTable, table) ? byTable[table] : byTable['*']);
}

export interface Opener {
  readonly decryptRows: (
    table: string,
    rows: readonly Args[],
    idOf: IdOf,
    options: { readonly onError: OnError | undefined },
  ) => Promise<readonly Args[]>;
  readonly onErrorOf: OnErrorOf;
  /** Returns the decrypted rows that match a query exactly. */
  readonly onlyMatching: (table: string, rows: readonly Args[], query: Args) => readonly Args[];
}

interface Found {
  readonly model: Model;
  readonly columns: Args[];
  readonly rows: Args[];
}

export async function openResult(
  models: Models,
  shape: Shape,
  result: unknown,
  { decryptRows, onErrorOf, onlyMatching }: Opener,
): Promise<void> {
  const tables = new Map<string, Found>();
  const added: { row: Args; names: readonly string[] }[] = [];
  const lists: { list: unknown[]; shape: Shape }[] = [];

  const collect = (shape: Shape, value: unknown): void => {
    if (Array.isArray(value)) {
      if (shape.narrowing) lists.push({ list: value, shape });
      for (const row of value) collect(shape, row);
    }
    if (!isArgs(value)) return;
    const { model } = shape;
    const columns: Args = {};
    for (const name in value) {
      const target = targetOf(models, model, name);
      if (target) collect(shape.relations.get(name) ?? shapeOf(target), value[name]);
      else if (model.indexes.has(name)) delete value[name];
      // Reads no computed field of another extension, which would be computed from ciphertexts.
      else if (model.columns.has(name) && Object.hasOwn(value, name)) columns[name] = value[name];
    }
    if (shape.added.length > 0) added.push({ row: value, names: shape.added });
    if (model.table === undefined) return;
    requireSubject(model, columns);
    const found = tables.get(model.table) ?? { model, columns: [], rows: [] };
    tables.set(model.table, found);
    found.columns.push(columns);
    found.rows.push(value);
  };
  collect(shape, result);

  await Promise.all(
    Array.from(tables, async ([table, { model, columns, rows }]) => {
      const onError = onErrorOf(table);
      const opened = await decryptRows(table, columns, (row) => idOf(model, row), { onError });
      for (const [at, row] of rows.entries()) Object.assign(row, opened[at]);
    }),
  );
  for (const { list, shape } of lists) {
    const { model, narrowing = {} } = shape;
    for (const field of Object.keys(narrowing)) {
      // The client can omit a field in its own options, and a row without the field would match nothing.
      if ((list as Args[]).every((row) => Object.hasOwn(row, field))) continue;
      const place = { model: model.name, field };
      const problem = 'the search compares with the field, which the result does not have';
      refuse('unsupported_filter', place, problem, `read it: add \`omit: { ${field}: false }\``);
    }
    const kept = onlyMatching(model.table ?? '', list as Args[], narrowing);
    list.length = 0;
    // Not with `push(...kept)`, which fails for very long lists.
    for (const row of kept) list.push(row);
  }
  for (const { row, names } of added) for (const name of names) delete row[name];
}

/** The client can omit a field in its own options, and then nobody knows whose data the row is. */
function requireSubject(model: Model, columns: Args): void {
  const missing = model.subject.find((column) => !Object.hasOwn(columns, column));
  if (missing === undefined) return;
  if (![...model.encrypted.keys()].some((name) => (columns[name] ?? null) !== null)) return;
  const problem = 'the result does not have the field that names the person';
  const remedy = `read it: add \`omit: { ${missing}: false }\``;
  refuse('unknown_subject', { model: model.name, field: missing }, problem, remedy);
}

function shapeOf(model: Model): Shape {
  return { model, added: [], relations: new Map() };
}
