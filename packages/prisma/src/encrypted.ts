import {
  describeFields,
  type FieldsClient,
  type FieldsDefinition,
  type OnError,
  type RecordsOptions,
  reportCiphertexts,
  type Tables,
  type Throwing,
} from '@eaas/sdk/fields';
import { executorOf, type PrismaClient, type QueryCall } from './client.ts';
import { refuse } from './error.ts';
import { withNativeTypes } from './id-form.ts';
import { type Model, type Models, modelsOf } from './models.ts';
import { type OnErrors, onErrorsOf, type Report } from './open.ts';
import { type Codec, perform } from './perform.ts';
import { refuseRaw, reportRawResult } from './raw.ts';
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
   * (`{ Patient: 'null' }`). With `throw` (the default), the query fails. With `null`, the field is null. What a
   * function returns stands for the value. The argument `onError` of a query decides for this query.
   */
  readonly onError?: Handlers | undefined;
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
  // Asserts the return type, because TypeScript cannot derive the types of the encrypted models from the code.
  return extensionOf(
    prisma as unknown as PrismaClient,
    eaas,
    fields,
    options,
  ) as unknown as EncryptedExtension<Client, T, Models, Handlers>;
}

function extensionOf<T extends Tables>(
  prisma: PrismaClient,
  eaas: FieldsClient,
  fields: FieldsDefinition<T>,
  { models: mapping, onError, ...options }: EncryptedOptions<T>,
): (client: PrismaClient) => unknown {
  if (typeof Object(prisma).$extends !== 'function' || typeof Object(fields).for !== 'function') {
    refuse(
      'definition',
      {},
      '`encrypted` takes (prisma, eaas, fields, options)',
      'pass a Prisma client, an Eaas client, and the fields that `defineFields` returned',
    );
  }
  // `fields.for` checks `options` at run time, so the types need not require `index` for searchable fields.
  const untyped = fields as unknown as {
    for(client: FieldsClient, options: object): Omit<Codec, 'report' | 'onErrorOf'>;
  };
  const report: Report = (place, values) => reportCiphertexts(eaas, place, values);
  const codec: Codec = { ...untyped.for(eaas, options), report, onErrorOf: onErrorsOf(onError) };
  const names = Object.keys(fields.tables) as (keyof T & string)[];
  const definition = new Map(names.map((name) => [name, describeFields(fields, name)]));
  const schema = prisma._engineConfig?.inlineSchema ?? refuseVersion();
  const models = modelsOf(withNativeTypes(prisma._runtimeDataModel, schema), definition, mapping);
  return (client) => extend(client, models, codec);
}

/**
 * Adds the extension to a client. Also replaces `$extends` so that this extension stays the last one, because a later
 * extension could write plaintext.
 */
function extend(client: PrismaClient, models: Models, codec: Codec): unknown {
  const $allOperations = (call: QueryCall) => performCall(client, models, codec, call);
  const $extends = (extension: unknown): unknown =>
    typeof extension === 'function'
      ? (extension as (client: unknown) => unknown)(extended)
      : extend(client.$extends(Object(extension) as object) as PrismaClient, models, codec);
  const extended = client.$extends({
    name: '@eaas/prisma',
    client: { $extends },
    query: { $allOperations },
  });
  return extended;
}

async function performCall(
  client: PrismaClient,
  models: Models,
  codec: Codec,
  call: QueryCall,
): Promise<unknown> {
  const params = call.__internalParams;
  if (!params) return refuseVersion();
  if (call.model === undefined) {
    refuseRaw(models, call.operation, call.args);
    const result = await call.query(call.args);
    reportRawResult(result, codec.report);
    return result;
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
  const { onError, ...others } = given;
  const args = isOfRows ? others : given;
  const own =
    !isOfRows || onError === undefined
      ? codec
      : { ...codec, onErrorOf: onErrorsOf(onError as OnError, model.name) };
  const run = () => perform(models, own, executor, { model, operation: call.operation, args, path });
  if (call.operation !== 'upsert' || params.transaction) return run();
  return run().catch((error: unknown) => (isDuplicate(error) ? run() : Promise.reject(error)));
}

/** The operations whose results contain rows. All others refuse the argument `onError`, like any unknown argument. */
const returnsRows = /^(?:find|create$|createManyAndReturn$|update$|updateManyAndReturn$|upsert$|delete$)/;

/**
 * Whether an upsert failed because the row already exists. Without encryption, Prisma leaves an upsert to PostgreSQL,
 * which updates a row that another upsert has just inserted. With encryption the id of the row must be known before, so
 * the upsert runs once more, and finds the row.
 */
function isDuplicate(error: unknown): boolean {
  return Object(error).code === 'P2002';
}

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
