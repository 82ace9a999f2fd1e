// What `@eaas/migrate` must know of a model: the extended client tells it under the name `$encryptedTable`.
import type { FieldsDefinition, RecordsOptions, Tables } from '@eaas/sdk/fields';
import type { PrismaClient } from './client.ts';
import { refuse } from './error.ts';
import type { Model, Models } from './models.ts';

export function tableSource(
  prisma: PrismaClient,
  models: Models,
  fields: FieldsDefinition<Tables>,
  { index, keyIds }: RecordsOptions<Tables>,
  name: string,
) {
  const model = Array.from(models.values()).find((each) => each.table === name || each.name === name);
  if (!model) {
    const names = Object.keys(fields.tables).join(', ');
    return refuse('definition', { model: name }, 'the definition has no such table', `name one of ${names}`);
  }
  // The rest needs only the names of the columns, and not their types.
  const columns = [...model.encrypted.keys(), ...model.indexes.keys(), ...model.subject];
  return {
    database: {
      query: (statement: string, parameters: string[]) => prisma.$queryRawUnsafe(statement, ...parameters),
    },
    fields,
    name: model.table,
    table: model.stored,
    columns: Object.fromEntries(columns.map((column) => [column, columnOf(model, column)])),
    index,
    keyIds,
    id(): string {
      return columnOf(model, idOf(model));
    },
  };
}

const columnOf = ({ columns }: Model, name: string): string => columns.get(name)?.dbName ?? name;

function idOf({ name, id }: Model): string {
  const [first] = id;
  if (first !== undefined && id.length === 1) return first;
  return refuse(
    'definition',
    { model: name },
    '`migrate` reads rows in the order of one column, but the id has several',
    'name a unique column as `id`',
  );
}
