import {
  describeFields,
  type FieldsClient,
  type FieldsDefinition,
  type RecordsOptions,
  type Tables,
} from '@eaas/sdk/fields';
import { executorOf, type PrismaClient, type QueryCall } from './client.ts';
import { refuse } from './errors.ts';
import { type ModelOptions, type Models, modelsOf } from './models.ts';
import { type Codec, perform } from './perform.ts';
import { refuseRaw, refuseRawResult } from './raw.ts';
import { isArgs } from './values.ts';

/** Options of `encrypted`: those of the fields, and how models map to tables of the definition. */
export interface EncryptedOptions<T extends Tables> extends RecordsOptions<T> {
  /** For each model whose name is not the name of its table: `{ Patient: 'patients' }`. */
  readonly models?: Readonly<Record<string, string | ModelOptions>> | undefined;
}

export function extensionOf<T extends Tables>(
  eaas: FieldsClient,
  fields: FieldsDefinition<T>,
  { models: mapping, ...options }: EncryptedOptions<T>,
): (client: PrismaClient) => unknown {
  // Without the condition that a searchable field needs an index: `for` checks it again.
  const untyped = fields as unknown as { for(client: FieldsClient, options: object): Codec };
  const codec = untyped.for(eaas, options);
  const names = Object.keys(fields.tables) as (keyof T & string)[];
  const definition = new Map(names.map((name) => [name, describeFields(fields, name)]));
  return (client) => {
    const models = modelsOf(client._runtimeDataModel, definition, mapping);
    const $allOperations = (call: QueryCall) => performCall(client, models, codec, call);
    return client.$extends({ name: '@eaas/prisma', query: { $allOperations } });
  };
}

async function performCall(
  client: PrismaClient,
  models: Models,
  codec: Codec,
  call: QueryCall,
): Promise<unknown> {
  const params = call.__internalParams;
  if (!params) return refuse('definition', undefined, undefined, 'this version of Prisma is not supported');
  if (call.model === undefined) {
    refuseRaw(models, call.operation, call.args);
    const result = await call.query(call.args);
    refuseRawResult(result);
    return result;
  }
  const model = models.get(call.model);
  if (!model) return refuse('definition', undefined, undefined, `the model \`${call.model}\` is unknown`);
  const path = (params.dataPath ?? []).filter((_, at) => at % 2 === 1);
  const args = call.args ?? {};
  if (!isArgs(args)) return refuse('unknown_argument', model, undefined, 'the arguments must be an object');
  const executor = executorOf(client, call, params);
  return perform(models, codec, executor, { model, operation: call.operation, args, path });
}
