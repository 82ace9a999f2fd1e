// Operations without Prisma and without a database: what the extension sends, reads before, and returns.
import type { FieldsClient, FieldsDefinition, FieldsTables } from '@eaas/sdk/fields';
import { type clientOf, coreOf } from '@eaas/sdk/internal';
import {
  type ModelOptions,
  type Models,
  modelsOf,
  type RuntimeDataModel,
  type RuntimeField,
} from '../src/models.ts';
import { perform } from '../src/perform.ts';
import type { Args } from '../src/values.ts';

export const column = (name: string, more: Partial<RuntimeField> = {}): RuntimeField => ({
  name,
  kind: 'scalar',
  type: 'String',
  ...more,
});

export const columns = (...names: string[]): RuntimeField[] => names.map((name) => column(name));

/** A relation to one row, or with `[]` after the model to a list. */
export const relation = (name: string, type: string, relationName = name): RuntimeField => ({
  name,
  kind: 'object',
  type: type.replace('[]', ''),
  isList: type.endsWith('[]'),
  relationName,
});

/** What encrypts, searches and opens in place of the SDK. */
export interface Codec {
  encryptRows(table: string, rows: readonly Args[], idOf: (row: Args) => unknown): Promise<Args[]>;
  decryptRows(table: string, rows: readonly Args[], idOf: (row: Args) => unknown): Promise<readonly Args[]>;
  where(table: string, query: Args): Promise<Readonly<Record<string, string[]>>>;
  /** The text by which a search finds a value in the form of the version before. */
  readonly older?: (query: Args) => string | undefined;
}

const core = coreOf({} as never, {}, 'withEncryption');

export const modelsWith = (
  schema: RuntimeDataModel,
  { tables }: { readonly tables: FieldsTables },
  options: Readonly<Record<string, string | ModelOptions>> = {},
  codec: Partial<Codec> = {},
  newId?: () => string,
): Models => {
  // What the SDK's core asks of records, which has no lists in these cases.
  const forCore = {
    shownRow: (_table: string, stored: Args) => stored,
    termsOf: async (table: string, query: Args) =>
      Object.entries((await codec.where?.(table, query)) ?? {}).map(([index, oneOf]) => {
        return { index, isList: false, lists: [oneOf], older: codec.older?.(query) };
      }),
  };
  const records = { ...codec, [Symbol.for('@eaas/sdk records')]: forCore };
  const fields = { tables, for: () => records } as unknown as FieldsDefinition<FieldsTables>;
  return modelsOf(schema, core, fields, options, newId);
};

export interface Extension {
  readonly client: Readonly<{ $as: (user: string) => Extension; $revealed: () => Extension }>;
  readonly query: { readonly $allOperations: (call: object) => Promise<unknown> };
  readonly [clientOf]: () => FieldsClient;
}

/** Returns the extension that `withEncryption` makes for a client with these models, and other members if given. */
export function extensionOf(
  models: RuntimeDataModel['models'],
  encrypt: (prisma: { readonly $extends: unknown }) => unknown,
  members: object = {},
): Extension {
  const prisma = {
    _runtimeDataModel: { models },
    _engineConfig: { inlineSchema: '' },
    $extends(this: unknown, extension: Extension) {
      return { ...extension, client: { ...extension.client, $parent: this } };
    },
    ...members,
  };
  return encrypt(prisma) as Extension;
}

/** Runs an operation, on patients unless `model` is given. Prisma answers with what `query` returns. */
export function operate(
  { query: { $allOperations } }: Extension,
  operation: string,
  args: Args,
  query: (args: Args, sent?: object) => Promise<unknown>,
  model = 'Patient',
  __internalParams: object = { args, dataPath: [], transaction: undefined },
): Promise<unknown> {
  // Prisma also copies the arguments, and makes plain objects of instances of a class.
  const { onError, ...others } = args;
  const copy = { ...structuredClone(others), ...(onError !== undefined && { onError }) };
  const answer = (given: Args, sent?: object): Promise<unknown> => {
    if (sent) Object.assign(sent, { args: given });
    return query(given, sent);
  };
  return $allOperations({
    model: model || undefined,
    operation,
    args: copy,
    query: answer,
    __internalParams,
  });
}

/** Runs an operation. `results` are the answers of Prisma: to the statement, to a read before, and to several updates. */
export async function play(
  models: Models,
  [name, operation, args]: readonly [name: string, operation: string, args: Args],
  results: { readonly query?: unknown; readonly run?: unknown; readonly each?: unknown[] | undefined } = {},
) {
  const sent: Args[] = [];
  const runs: unknown[] = [];
  let taken = 0;
  const executor = {
    run: async (of: { name: string }, other: string, given: Args) => {
      runs.push([of.name, other, given]);
      return results.run ?? null;
    },
    numbers: async (of: { name: string }, { name }: RuntimeField, count: number) => {
      runs.push([of.name, name, count]);
      return Array.from({ length: count }, () => {
        taken += 1;
        return String(taken);
      });
    },
    query: async (given: Args) => {
      sent.push(given);
      return results.query ?? null;
    },
    queryEach: async (_: unknown, all: readonly Args[]) => {
      sent.push(...all);
      return results.each ?? all.map(() => ({ count: 1 }));
    },
  };
  const model = models.get(name);
  if (!model) throw new Error('no such model');
  const result = await perform(models, core.begin(), executor, { model, operation, args, path: [] });
  return { sent, result, runs };
}
