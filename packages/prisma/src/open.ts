import { holdsCiphertext, type RecordId } from '@eaas/sdk/fields';
import { refuse } from './errors.ts';
import { type Model, type Models, targetOf } from './models.ts';
import type { Shape } from './selection.ts';
import { type Args, isArgs } from './values.ts';
import { idOf } from './work.ts';

/** Decrypts the rows of a table. Returns them in order. */
export type DecryptRows = (
  table: string,
  rows: readonly Args[],
  idOf: (row: Args) => RecordId | undefined,
) => Promise<readonly Args[]>;

/** The rows of one table in a result: what to decrypt, and where to put it. */
interface Found {
  readonly model: Model;
  readonly columns: Args[];
  readonly rows: Args[];
}

/** Decrypts a result in place, at any depth. Removes index columns, and the ids that the query added. */
export async function openResult(
  models: Models,
  shape: Shape,
  result: unknown,
  decryptRows: DecryptRows,
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
      else refuseCiphertext(model, name, value[name]);
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
      const opened = await decryptRows(table, columns, (row) => idOf(model, row));
      for (const [at, row] of rows.entries()) Object.assign(row, opened[at]);
    }),
  );
  for (const { row, names } of added) for (const name of names) delete row[name];
}

/** The shape of rows without relations. */
function shapeOf(model: Model): Shape {
  return { model, added: [], relations: new Map() };
}

/** Throws if a value that is not decrypted holds a ciphertext. */
export function refuseCiphertext(model: Model, name: string | undefined, value: unknown): void {
  if (!holdsCiphertext(value)) return;
  const cure = 'define the column as a field, or remove the ciphertext from it';
  refuse('ciphertext', model, name, `a column that is not encrypted holds a ciphertext: ${cure}`);
}
