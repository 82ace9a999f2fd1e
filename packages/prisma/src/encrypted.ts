import {
  describeFields,
  type FieldsClient,
  type FieldsDefinition,
  type OnError,
  type RecordsOptions,
  type Tables,
  type Throwing,
} from '@eaas/sdk/fields';
import { executorOf, parentOf, type PrismaClient, type QueryCall } from './client.ts';
import { refuse } from './error.ts';
import { type Model, type Models, modelsOf, targetOf } from './models.ts';
import { type OnErrors, onErrorsOf } from './open.ts';
import { type Codec, perform } from './perform.ts';
import { peopleOf } from './person.ts';
import { refuseRaw } from './raw.ts';
import { withSchema } from './schema.ts';
import { tableSource } from './table-source.ts';
import type { Mapping } from './definition-types.ts';
import type { EncryptedExtension } from './types.ts';
import { isArgs } from './values.ts';

/** Options of `encrypted`: the options of `fields.for`, and the mapping from models to tables. */
export interface EncryptedOptions<
  T extends Tables,
  Models extends Mapping = Mapping,
  Handlers = OnErrors<T>,
> extends RecordsOptions<T> {
  /** Maps a model to its table if their names differ: `{ Patient: 'patients' }`. */
  readonly models?: Models | undefined;
  /**
   * What a stored value that cannot be decrypted becomes, in all tables or by table of the definition
   * (`{ Patient: 'null' }`). With `throw`, the query fails. With `null`, the field is null. What a function returns
   * stands for the value. By default, only the values of erased people are null, and others fail the query. The argument
   * `onError` of a query decides for this query.
   */
  readonly onError?: Handlers | undefined;
  /**
   * Returns the user on whose behalf the app acts, such as `() => requests.getStore()?.userId` with an
   * `AsyncLocalStorage`. Called for each operation on encrypted models, so the audit log says who reads whose data.
   * Undefined is nobody, which a client with `requireUser` refuses. `$as(userId)` of the extended client decides before
   * this function.
   */
  readonly user?: (() => string | undefined) | undefined;
}

type NoMapping = { [Name in never]: string };

/**
 * Returns an extension that encrypts the fields of a definition: `prisma.$extends(encrypted(prisma, eaas, fields, {
 * index }))`. Throws EncryptedModelError if the definition does not fit the Prisma schema, and InputError for invalid
 * options.
 */
export function encrypted<
  Client,
  T extends Tables,
  const Models extends Mapping = NoMapping,
  Handlers extends OnErrors<T> = Throwing,
>(
  prisma: Client,
  eaas: FieldsClient,
  fields: FieldsDefinition<T>,
  options: EncryptedOptions<T, Models, Handlers> = {},
): EncryptedExtension<Client, T, Models, Handlers> {
  const { models: mapping, onError, user = () => undefined, ...own } = options;
  const client = prisma as unknown as PrismaClient;
  if (typeof Object(prisma).$extends !== 'function' || typeof Object(fields).for !== 'function') {
    refuse(
      'definition',
      {},
      '`encrypted` takes (prisma, eaas, fields, options)',
      'pass a Prisma client, an Eaas client, and the fields that `defineFields` returned',
    );
  }
  if (typeof user !== 'function') {
    const remedy =
      'pass `user: () => requests.getStore()?.userId`, or call `$as(userId)` of the extended client';
    refuse('unknown_argument', {}, '`user` must be a function', remedy);
  }
  // `fields.for` checks `options` at run time, so the types need not require `index` for searchable fields.
  const untyped = fields as unknown as { for(client: FieldsClient, options: object): UntypedRecords };
  const records = untyped.for(eaas, own);
  const onErrorOf = onErrorsOf(onError);
  const names = Object.keys(fields.tables) as (keyof T & string)[];
  const definition = new Map(names.map((name) => [name, describeFields(fields, name)]));
  const schema = client._engineConfig?.inlineSchema ?? refuseVersion();
  const people = peopleOf(fields.tables);
  const models = modelsOf(withSchema(client._runtimeDataModel, schema), definition, mapping, people);
  const codecOf = (name: string | undefined): Codec => {
    return { ...(name === undefined ? records : records.as(name)), onErrorOf };
  };
  const untypedFields = fields as unknown as FieldsDefinition<Tables>;
  const sourceOf = (name: string) => tableSource(client, models, untypedFields, own, name);
  const extension = (original: PrismaClient): unknown =>
    extend(original, { models, codecOf, sourceOf, needsUser: eaas.needsUser, user });
  // Asserts the return type, because TypeScript cannot derive the types of the encrypted models from the code.
  return extension as unknown as EncryptedExtension<Client, T, Models, Handlers>;
}

type UntypedRecords = Omit<Codec, 'onErrorOf'> & { as(user: string): UntypedRecords };

/** What all clients of one call of `encrypted` share. */
interface Setting {
  readonly models: Models;
  readonly codecOf: (user: string | undefined) => Codec;
  readonly sourceOf: (table: string) => object;
  readonly needsUser: boolean;
  readonly user: () => string | undefined;
}

/**
 * Adds the extension to a client. Also replaces `$extends` so that this extension stays the last one, because a later
 * extension could write plaintext.
 */
function extend(client: PrismaClient, setting: Setting): unknown {
  const $allOperations = (call: QueryCall) => performCall(client, setting, call);
  const $extends = (extension: unknown): unknown =>
    typeof extension === 'function'
      ? (extension as (client: unknown) => unknown)(extended)
      : extend(client.$extends(Object(extension) as object) as PrismaClient, setting);
  const { parent, transactionOf } = parentOf(client);
  // Prisma calls it on the client, or on the client of an interactive transaction.
  function $as(this: { readonly $parent?: unknown } | undefined, user: string): unknown {
    setting.codecOf(user); // Throws for a user that is no valid text.
    const acting = extend(client, { ...setting, user: () => user }) as PrismaClient;
    const own = this?.$parent;
    if (own === parent) return acting;
    const remedy = 'call it on the client, as in `db.$as(userId)`';
    const transaction = transactionOf(own) ?? refuse('unknown_argument', {}, '`$as` has no client', remedy);
    return acting._createItxClient(...transaction);
  }
  const extended = client.$extends.call(parent, {
    name: '@eaas/prisma',
    client: { $extends, $as, $encryptedTable: setting.sourceOf },
    query: { $allOperations },
  });
  return extended;
}

async function performCall(
  client: PrismaClient,
  { models, codecOf, needsUser, user: userOf }: Setting,
  call: QueryCall,
): Promise<unknown> {
  const params = call.__internalParams;
  if (!params) return refuseVersion();
  if (call.model === undefined) {
    refuseRaw(models, call.operation, call.args);
    return call.query(call.args);
  }
  const model = models.get(call.model);
  if (!model) {
    const remedy = 'run `prisma generate`, and restart the app';
    return refuse('definition', {}, `the model \`${call.model}\` is unknown`, remedy);
  }
  const path = (params.dataPath ?? []).filter((_, at) => at % 2 === 1);
  const given = call.args ?? {};
  if (!isArgs(given)) {
    const remedy = 'pass the arguments by their names, as in `{ where, data }`';
    return refuse('unknown_argument', { model: model.name }, 'the arguments must be an object', remedy);
  }
  // Refuses undefined values like Prisma. Prisma cannot find them itself, because the rewritten arguments omit them.
  if (client._previewFeatures?.includes('strictUndefinedChecks')) refuseUndefined(model, given);
  const executor = executorOf(client, call, params);
  const isOfRows = returnsRows.test(call.operation);
  const isEncrypted = usesEncrypted(models, model, given);
  const user = isEncrypted ? userOf() : undefined;
  if (user === undefined && isEncrypted && !withoutValues.test(call.operation) && needsUser) {
    const problem = 'the client has `requireUser`, and the operation has no user';
    const remedy = 'call `$as(userId)` of the extended client, or pass the option `user` to `encrypted`';
    refuse('unknown_user', { model: model.name }, problem, remedy);
  }
  const { onError, ...others } = given;
  const args = isOfRows ? others : given;
  const codec = codecOf(user);
  const own =
    !isOfRows || onError === undefined
      ? codec
      : { ...codec, onErrorOf: onErrorsOf(onError as OnError, model.name) };
  const run = () => perform(models, own, executor, { model, operation: call.operation, args, path });
  if (call.operation !== 'upsert' || params.transaction) return run();
  // Without encryption, Prisma leaves an upsert to PostgreSQL, which updates a row that another upsert has just inserted.
  // With encryption the id of the row must be known before, so the upsert runs once more, and finds the row.
  return run().catch(async (error: unknown) => {
    if (Object(error).code !== 'P2002') throw error;
    return run();
  });
}

/** The operations that neither encrypt nor decrypt values. */
const withoutValues = /^(?:count|aggregate|groupBy|deleteMany)$/;

/** Whether an operation is on a model with encrypted fields, or has a related one in its arguments. */
function usesEncrypted(models: Models, model: Model, args: unknown): boolean {
  if (model.table !== undefined) return true;
  if (Array.isArray(args)) return args.some((item) => usesEncrypted(models, model, item));
  if (!isArgs(args)) return false;
  return Object.entries(args).some(([name, value]) =>
    usesEncrypted(models, targetOf(models, model, name) ?? model, value),
  );
}

/** The operations whose results contain rows. All others refuse the argument `onError`, like any unknown argument. */
const returnsRows = /^(?:find|create$|createManyAndReturn$|update$|updateManyAndReturn$|upsert$|delete$)/;

function refuseVersion(): never {
  return refuse(
    'definition',
    {},
    'this version of Prisma is not supported',
    'install a version that the README of @eaas/prisma names',
  );
}

function refuseUndefined(model: Model, value: unknown, name = 'arguments'): void {
  if (value === undefined) {
    const problem = `\`${name}\` is undefined`;
    refuse('unknown_argument', { model: model.name }, problem, 'leave it out, or use null');
  }
  if (Array.isArray(value)) for (const item of value) refuseUndefined(model, item, name);
  if (isArgs(value)) for (const [key, member] of Object.entries(value)) refuseUndefined(model, member, key);
}
