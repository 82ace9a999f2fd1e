// What `@eaas/migrate` must know of a model: the extended client tells it under the name `$encryptedTable`.
import { refuseStatement as refuse, type TableSource } from '@eaas/sdk/internal';
import type { PrismaClient } from './client.ts';
import type { Model, Models } from './models.ts';

export type Source = TableSource<{ query(statement: string, parameters: string[]): unknown }>;

export function tableSource(prisma: PrismaClient, models: Models, name: string): Source {
  const encrypted = Array.from(models.values()).filter(({ core }) => core !== undefined);
  const model = encrypted.find((each) => each.core?.plan.table === name || each.name === name);
  if (!model?.core) {
    const names = encrypted.map((each) => each.core?.plan.table).join(', ');
    return refuse('definition', { table: name }, 'the definition has no such table', `name one of ${names}`);
  }
  // The rest needs only the names of the columns, and not their types.
  const columns = [...model.encrypted.keys(), ...model.indexes.keys(), ...model.subject];
  return {
    ...model.core.source,
    database: {
      query: (statement, parameters) => prisma.$queryRawUnsafe(statement, ...parameters),
    },
    table: model.stored,
    columns: Object.fromEntries(columns.map((column) => [column, columnOf(model, column)])),
    id: model.id.length === 1 ? columnOf(model, model.id[0] ?? '') : undefined,
  };
}

const columnOf = ({ columns }: Model, name: string): string => columns.get(name)?.dbName ?? name;
