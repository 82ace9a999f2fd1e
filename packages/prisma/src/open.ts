import type { ColumnPlace, RecordId } from '@eaas/sdk/fields';
import { type Model, type Models, targetOf } from './models.ts';
import type { Shape } from './selection.ts';
import { type Args, isArgs } from './values.ts';
import { idOf } from './work.ts';

export type DecryptRows = (
  table: string,
  rows: readonly Args[],
  idOf: (row: Args) => RecordId | undefined,
) => Promise<readonly Args[]>;

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
      const opened = await decryptRows(table, columns, (row) => idOf(model, row));
      for (const [at, row] of rows.entries()) Object.assign(row, opened[at]);
    }),
  );
  for (const { row, names } of added) for (const name of names) delete row[name];
}

function shapeOf(model: Model): Shape {
  return { model, added: [], relations: new Map() };
}
