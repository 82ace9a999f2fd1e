import { describeFields, type Tables } from '@eaas/sdk/fields';
import {
  encryptExisting as encryptRows,
  type EncryptExistingOptions,
  type EncryptExistingResult,
} from '@eaas/sdk/tables';
import type { PrismaClient } from './client.ts';
import type { Mapping } from './definition-types.ts';
import { refuse } from './error.ts';
import { type Model, modelsOf } from './models.ts';
import { peopleOf } from './person.ts';
import { withSchema } from './schema.ts';

type NameOf<T> = keyof T & string;

/** Options of `encryptExisting`, for a model whose table has rows. */
export type ExistingOptions<T extends Tables, Table extends NameOf<T>> = Omit<
  EncryptExistingOptions<T, Table>,
  'table' | 'columns' | 'id'
> & {
  /** Maps a model to its table if their names differ, as in the options of `encrypted`. */
  readonly models?: Mapping | undefined;
};

/**
 * Encrypts the fields of a model whose table has rows, while the app uses it, and proves that no plaintext is left: see
 * `encryptExisting` of `@eaas/sdk/tables`. With a `subject` in the definition, each row is encrypted for its person.
 * Fields that hold plaintext have the option `previous: plaintext()`. Pass the
 * client without the extension. Throws EncryptedModelError if the definition does not fit the Prisma schema.
 */
export async function encryptExisting<T extends Tables, Table extends NameOf<T>>(
  prisma: object,
  table: Table,
  { models: mapping, ...options }: ExistingOptions<T, Table>,
): Promise<EncryptExistingResult> {
  const client = prisma as PrismaClient;
  const { fields } = options;
  const schema = client._engineConfig?.inlineSchema;
  if (
    typeof client.$queryRawUnsafe !== 'function' ||
    schema === undefined ||
    typeof Object(fields).for !== 'function'
  ) {
    const remedy =
      'pass the client without the extension, and a version that the README of @eaas/prisma names';
    return refuse('definition', {}, '`encryptExisting` takes (prisma, table, { fields, client, … })', remedy);
  }
  const names = Object.keys(fields.tables) as NameOf<T>[];
  const definition = new Map(names.map((name) => [name, describeFields(fields, name)]));
  const people = peopleOf(fields.tables);
  const models = modelsOf(withSchema(client._runtimeDataModel, schema), definition, mapping, people);
  const model = Array.from(models.values()).find((each) => each.table === table);
  if (!model) {
    return refuse(
      'definition',
      { model: table },
      'the definition has no such table',
      `name one of ${names.join(', ')}`,
    );
  }
  // The rest needs only the names of the columns, and not their types.
  const { from, ...others } = options as unknown as EncryptExistingOptions<Tables, string>;
  const columns = [...model.encrypted.keys(), ...model.indexes.keys(), ...model.subject];
  const renamed: EncryptExistingOptions<Tables, string> = {
    ...others,
    table: model.stored,
    id: columnOf(model, idOf(model)),
    columns: Object.fromEntries(columns.map((name) => [name, columnOf(model, name)])),
    from: Object.fromEntries(
      Object.entries<string | undefined>({ ...from }).map(([name, column]) => [
        name,
        columnOf(model, column ?? name),
      ]),
    ),
  };
  const database = {
    query: (statement: string, parameters: string[]) => client.$queryRawUnsafe(statement, ...parameters),
  };
  return encryptRows(database, table, renamed as never);
}

const columnOf = ({ columns }: Model, name: string): string => columns.get(name)?.dbName ?? name;

function idOf({ name, id }: Model): string {
  const [first] = id;
  if (first !== undefined && id.length === 1) return first;
  return refuse(
    'definition',
    { model: name },
    '`encryptExisting` reads rows in the order of one column, but the id has several',
    'encrypt the rows with `reencrypt` of `@eaas/sdk/reencrypt`',
  );
}
