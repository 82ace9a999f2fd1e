// The extension: its options, the client that it returns, and what each operation passes through. Prisma 8 has no `$extends`: its
// middleware rewrites queries and parameters, but sees results row by row, and its codecs see no row. A port stands on
// `@eaas/sdk/fields`: `fields.describe()` lists columns and indexes, `encryptRows` and `decryptRows` convert many rows in one request,
// `where` returns fingerprints, and columns are `Concealed` until `reveal` opens them.
import type {
  EncryptionOptions,
  FieldsClient,
  FieldsDefinition,
  OnError,
  RecordsOptions,
  FieldsTables,
} from '@eaas/sdk/fields';
import {
  clientOf,
  coreOf,
  refuseStatement as refuse,
  type Throwing,
  withoutHandles,
} from '@eaas/sdk/internal';
import {
  executorOf,
  paramsOf,
  parentOf,
  versionRemedy,
  type PrismaClient,
  type QueryCall,
  refuseVersion,
  withHandles,
} from './client.ts';
import { operationOf } from './grammar.ts';
import { type Core, type Model, type Models, modelsOf } from './models.ts';
import { perform } from './perform.ts';
import { refuseRaw } from './raw.ts';
import { withSchema } from './schema.ts';
import { tableSource } from './table-source.ts';
import type { ModelMapping } from './definition-types.ts';
import type { EncryptedClient } from './types.ts';
import { isArgs } from './values.ts';

/** What values that cannot be decrypted become: in all tables, or by table. */
export type OnErrors<T = Readonly<Record<string, unknown>>> =
  | OnError
  | { readonly [Table in keyof T & string]?: OnError | undefined };

/** Options of `withEncryption`: the options of `fields.for`, and the mapping from models to tables. */
export interface PrismaEncryptionOptions<
  T extends FieldsTables,
  Models extends ModelMapping = ModelMapping,
  Handlers = OnErrors<T>,
>
  extends RecordsOptions<T>, Pick<EncryptionOptions, 'user'> {
  /** Maps a model to its table if their names differ: `{ Patient: 'patients' }`. */
  readonly models?: Models | undefined;
  /**
   * Creates the ids of new rows, in models whose id is a String without the default `uuid()` or
   * `dbgenerated("gen_random_uuid()")`. `newId` of a model in `models` decides for this model. Defaults to
   * `crypto.randomUUID()`.
   */
  readonly newId?: (() => string) | undefined;
  /**
   * What a stored value that cannot be decrypted becomes, in all tables or by table of the definition
   * (`{ Patient: 'null' }`). With `throw`, the query fails. With `null`, the field is null. What a function returns
   * stands for the value. By default, only the values of erased people are null, and others fail the query. The argument
   * `onError` of a query decides for this query.
   */
  readonly onError?: Handlers | undefined;
}

/**
 * Returns a Prisma client that encrypts the fields of a definition in what it writes, searches by fingerprints and decrypts
 * results. Throws EncryptedTableError if the definition does not fit the Prisma schema, and InputError for invalid options.
 *
 * @example
 * ```ts
 * import { withEncryption } from '@eaas/prisma';
 * import { defineFields, field } from '@eaas/sdk/fields';
 *
 * const fields = defineFields({ Patient: { name: field.text(), ssn: field.text().searchable() } });
 * const db = withEncryption(prisma, eaas, fields, { index: process.env.EAAS_INDEX_KEY! });
 * const [ada] = await db.patient.findMany({ where: { ssn: '123-45-6789' } });
 * ```
 */
export function withEncryption<
  Client extends { readonly $extends: unknown },
  T extends FieldsTables,
  const Models extends ModelMapping = { [Name in never]: string },
  Handlers extends OnErrors<T> = Throwing,
>(
  prisma: Client,
  eaas: FieldsClient,
  fields: FieldsDefinition<T>,
  options: PrismaEncryptionOptions<T, Models, Handlers> = {},
): EncryptedClient<Client, T, Models, Handlers> {
  const { models: mapping, newId, ...own } = options;
  const client = prisma as unknown as PrismaClient;
  if (typeof Object(prisma).$extends !== 'function' || typeof Object(fields).for !== 'function') {
    const problem = '`withEncryption` takes (prisma, eaas, fields, options)';
    const remedy = `pass fields that \`defineFields\` returned. Prisma 8 is not supported yet: ${versionRemedy}`;
    refuse('definition', {}, problem, remedy);
  }
  const core = coreOf(eaas, own, 'withEncryption');
  const schema = client._engineConfig?.inlineSchema ?? refuseVersion();
  const untyped = fields as unknown as FieldsDefinition<FieldsTables>;
  const models = modelsOf(withSchema(client._runtimeDataModel, schema), core, untyped, mapping, newId);
  // Asserts the return type, because TypeScript cannot derive the types of the encrypted models from the code.
  return extend(client, core, models) as EncryptedClient<Client, T, Models, Handlers>;
}

/**
 * Adds the extension to a client. Also replaces `$extends` so that this extension stays the last one, because a later
 * extension could write plaintext.
 */
function extend(client: PrismaClient, core: Core, models: Models): unknown {
  const $allOperations = (call: QueryCall) => performCall(client, core, models, call);
  const $extends = (extension: unknown): unknown =>
    typeof extension === 'function'
      ? (extension as (client: unknown) => unknown)(extended)
      : extend(client.$extends(Object(extension) as object) as PrismaClient, core, models);
  const { parent, transactionOf } = parentOf(client);
  const another = (changed: Core, own: unknown, call: string): unknown => {
    const made = extend(client, changed, models) as PrismaClient;
    if (own === parent) return made;
    const problem = `\`${call.replace(/\(.*/, '')}\` has no client`;
    const remedy = `call it on the client, as in \`db.${call}\``;
    return made._createItxClient(...(transactionOf(own) ?? refuse('unknown_argument', {}, problem, remedy)));
  };
  // Prisma calls these on the client, or on the client of an interactive transaction.
  function $as(this: Called, user: string): unknown {
    return another(core.as(user), this?.$parent, '$as(userId)');
  }
  function $revealed(this: Called): unknown {
    return another(core.revealed(), this?.$parent, '$revealed()');
  }
  const $encryptedTable = (name: string): object => tableSource(client, models, name);
  const extended = client.$extends.call(parent, {
    name: '@eaas/prisma',
    client: { $extends, $as, $revealed, $encryptedTable },
    query: { $allOperations },
  });
  // Prisma leaves out what is named by a symbol.
  return Object.assign(extended as object, { [clientOf]: () => core.client() });
}

type Called = { readonly $parent?: unknown } | undefined;

async function performCall(
  client: PrismaClient,
  core: Core,
  models: Models,
  call: QueryCall,
): Promise<unknown> {
  const params = paramsOf(call);
  if (call.model === undefined) {
    withoutHandles({ ...Object(params.args) });
    refuseRaw(models, call.operation, call.args);
    return call.query(call.args);
  }
  const model = models.get(call.model);
  if (!model) {
    const remedy = 'run `prisma generate`, and restart the app';
    return refuse('definition', {}, `the model \`${call.model}\` is unknown`, remedy);
  }
  const path = (params.dataPath ?? []).filter((_, at) => at % 2 === 1);
  const given = withHandles(call.args, params.args) ?? {};
  if (!isArgs(given)) {
    const remedy = 'pass the arguments by their names, as in `{ where, data }`';
    return refuse('unknown_argument', { table: model.name }, 'the arguments must be an object', remedy);
  }
  // Refuses undefined values like Prisma. Prisma cannot find them itself, because the rewritten arguments omit them.
  if (client._previewFeatures?.includes('strictUndefinedChecks')) refuseUndefined(model, given);
  const executor = executorOf(client, call, params);
  const { rows } = operationOf(model, call.operation);
  const { onError, ...others } = given;
  const args = rows ? others : given;
  const own = rows && onError !== undefined ? core.onError(onError as OnError, { table: model.name }) : core;
  const statement = own.begin();
  const run = () => perform(models, statement, executor, { model, operation: call.operation, args, path });
  if (!(call.operation === 'upsert' || connectsOrCreates(args)) || params.transaction) return run();
  // Without encryption, Prisma leaves an upsert to PostgreSQL, which updates a row that another upsert has just inserted.
  // With encryption the id of the row must be known before, so the operation runs once more, and finds the row.
  return run().catch(async (error: unknown) => {
    if (Object(error).code !== 'P2002') throw error;
    return run();
  });
}

/** Whether a nested write connects a row that it finds, or else creates it. */
const connectsOrCreates = (args: unknown): boolean =>
  isArgs(args)
    ? 'connectOrCreate' in args || Object.values(args).some(connectsOrCreates)
    : Array.isArray(args) && args.some(connectsOrCreates);

function refuseUndefined(model: Model, value: unknown, name = 'arguments'): void {
  if (value === undefined) {
    const problem = `\`${name}\` is undefined`;
    refuse('unknown_argument', { table: model.name }, problem, 'leave it out, or use null');
  }
  if (Array.isArray(value)) for (const item of value) refuseUndefined(model, item, name);
  if (isArgs(value)) for (const [key, member] of Object.entries(value)) refuseUndefined(model, member, key);
}
