// Opens the result of an operation: finds its rows by the shape that was read, and puts the values where the ciphertexts were.
import { refuseStatement as refuse, type Sealed, type Statement } from '@eaas/sdk/internal';
import { type Model, targetOf } from './models.ts';
import type { Shape } from './selection.ts';
import { type Args, isArgs } from './values.ts';
import { idOf, type Work } from './work.ts';

export async function openResult({ models, statement }: Work, whole: Shape, result: unknown): Promise<void> {
  const rows = new Map<unknown, Sealed>();
  const lists: Parameters<Statement['open']>[1][number][] = [];
  const unread = { added: [], relations: new Map<string, Shape>() };
  const collect = (shape: Shape, value: unknown): void => {
    const { model, added, relations, narrowing: near } = shape;
    const { core: table, columns, encrypted } = model;
    if (Array.isArray(value)) {
      for (const row of value) collect(shape, row);
      if (!near || !table) return;
      requireCompared(
        shape,
        value.map((row) => rows.get(row)?.stored ?? {}),
      );
      lists.push({ table, items: value, near, rowOf: (row) => rows.get(row) });
    }
    if (!isArgs(value)) return;
    const stored: Args = {};
    for (const name in value) {
      const target = targetOf(models, model, name);
      if (target) collect(relations.get(name) ?? { ...unread, model: target }, value[name]);
      else if (model.indexes.has(name)) delete value[name];
      // Reads no computed field of another extension, which would be computed from ciphertexts.
      else if (columns.has(name) && Object.hasOwn(value, name)) stored[name] = value[name];
    }
    for (const name of added) delete value[name];
    if (!table) return;
    requireSubject(model, stored);
    const put = (opened: Args): void => {
      for (const name of encrypted.keys()) if (Object.hasOwn(value, name)) value[name] = opened[name];
    };
    rows.set(value, { table, stored, id: idOf(model, stored), shown: value, put });
  };
  collect(whole, result);
  await statement.open([...rows.values()], lists);
}

/** The client can omit a field in its own options, and a row without the field would match nothing. */
function requireCompared({ model, narrowing }: Shape, rows: readonly Args[]): void {
  const column = Object.keys({ ...narrowing }).find((name) => !rows.every((row) => Object.hasOwn(row, name)));
  if (column === undefined) return;
  const problem = 'the search compares with the field, which the result does not have';
  const remedy = `read it: add \`omit: { ${column}: false }\``;
  refuse('not_supported', { table: model.name, column }, problem, remedy);
}

/** The client can omit a field in its own options, and then nobody knows whose data the row is. */
function requireSubject(model: Model, columns: Args): void {
  const missing = model.subject.find((column) => !Object.hasOwn(columns, column));
  if (missing === undefined) return;
  if (![...model.encrypted.keys()].some((name) => (columns[name] ?? null) !== null)) return;
  const problem = 'the result does not have the field that names the person';
  const remedy = `read it: add \`omit: { ${missing}: false }\``;
  refuse('subject_unknown', { table: model.name, column: missing }, problem, remedy);
}
