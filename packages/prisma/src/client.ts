// The seams of Prisma's client that the package uses: the parent of an extended client, the transaction of an operation, and
// queries that pass no other extension.
import { heldIn, refuseStatement as refuse } from '@eaas/sdk/internal';
import type { Model, RuntimeDataModel, RuntimeField } from './models.ts';
import type { Executor } from './perform.ts';
import { isArgs } from './values.ts';

export interface PrismaClient {
  readonly _runtimeDataModel: RuntimeDataModel;
  readonly _engineConfig?: { readonly inlineSchema?: string | undefined } | undefined;
  readonly _previewFeatures?: readonly string[] | undefined;
  $extends(extension: object): unknown;
  $queryRawUnsafe(statement: string, ...parameters: string[]): Promise<unknown>;
  $transaction(operations: readonly unknown[]): Promise<readonly unknown[]>;
  _createItxClient(...transaction: unknown[]): unknown;
}

/**
 * Returns a parent for an extended client, and a function that finds the transaction of a parent: Prisma makes the
 * parent of a client in an interactive transaction with the undocumented arguments that make any client one of this
 * transaction.
 */
export function parentOf(client: PrismaClient) {
  const transactions = new WeakMap<object, readonly unknown[]>();
  const value = (...transaction: unknown[]): unknown => {
    const within = client._createItxClient(...transaction) as object;
    transactions.set(within, transaction);
    return within;
  };
  return {
    parent: Object.create(client, { _createItxClient: { value } }) as PrismaClient,
    transactionOf: (parent: unknown) => transactions.get(Object(parent) as object),
  };
}

export interface QueryCall {
  readonly model?: string | undefined;
  readonly operation: string;
  readonly args: unknown;
  query(args: unknown, params?: unknown): Promise<unknown>;
  readonly __internalParams?: InternalParams | undefined;
}

/**
 * The undocumented parameters that Prisma passes to an extension. Only `transaction` says in which transaction an
 * operation runs.
 */
export interface InternalParams {
  /** The arguments of which those of the call are a copy. */
  readonly args?: unknown;
  readonly transaction?: { readonly kind: string } | undefined;
  readonly dataPath?: readonly string[] | undefined;
}

export const versionRemedy = 'pin `prisma@7 @prisma/client@7`';

export function refuseVersion(): never {
  return refuse('definition', {}, 'this version of Prisma is not supported', versionRemedy);
}

/**
 * Throws if the parameters lack one that the package relies on: an operation whose transaction is not known would run
 * beside it.
 */
export function paramsOf({ __internalParams: params }: QueryCall): InternalParams {
  const isKnown =
    params !== undefined &&
    ['args', 'transaction', 'dataPath'].every((name) => name in params) &&
    [undefined, 'itx', 'batch'].includes(params.transaction?.kind);
  return isKnown ? params : refuseVersion();
}

/** Puts handles into a copy of arguments. Prisma makes one, in which each handle is an empty object. */
export function withHandles(copy: unknown, given: unknown): unknown {
  if (heldIn(given)) return given;
  if (isArgs(copy) || Array.isArray(copy)) {
    for (const [name, value] of Object.entries(copy)) {
      Reflect.set(copy, name, withHandles(value, Reflect.get(Object(given) as object, name)));
    }
  }
  return copy;
}

/** Runs queries without other extensions, because another extension could add plaintext after the encryption. */
export function executorOf(client: PrismaClient, call: QueryCall, params: InternalParams): Executor {
  const kind = params.transaction?.kind;
  const requireNoBatch = (model: Model): void => {
    if (kind === undefined || kind === 'itx') return;
    const problem = 'the operation must first read ids, which a batch cannot do';
    const remedy =
      'name each row by its id (not `@db.Citext`) and its person, or use an interactive transaction: `$transaction(async (tx) => …)`';
    refuse('not_supported', { table: model.name }, problem, remedy);
  };
  /** Prisma puts the arguments into the parameters if it honours them. It sends nothing before somebody awaits the result. */
  const send = (args: unknown, own: object = {}): Promise<unknown> => {
    const sent: InternalParams = { ...params, ...own, args: undefined };
    const result = call.query(args, sent);
    return sent.args === args ? result : refuseVersion();
  };
  return {
    async run(model, name, args) {
      requireNoBatch(model);
      const jsModelName = model.name.charAt(0).toLowerCase() + model.name.slice(1);
      const clientMethod = `${jsModelName}.${name}`;
      const own = { model: model.name, jsModelName, action: name, clientMethod, dataPath: [] };
      return send(args, { ...own, unpacker: undefined });
    },
    async numbers({ stored }, { name, dbName }: RuntimeField, count) {
      const { transaction } = params;
      const within = kind === 'itx' ? (client._createItxClient(transaction) as PrismaClient) : client;
      const next =
        'select nextval(pg_get_serial_sequence($1, $2))::text as number from generate_series(1, $3::int)';
      const table = `"${stored.replaceAll('"', '""')}"`;
      const rows = await within.$queryRawUnsafe(next, table, dbName ?? name, String(count));
      return (rows as { number: string | null }[]).map(({ number }) => number);
    },
    query: (args) => call.query(args),
    async queryEach(model, all) {
      requireNoBatch(model);
      if (kind === undefined) return client.$transaction(all.map((args) => send(args)));
      const results: unknown[] = [];
      for (const args of all) results.push(await call.query(args));
      return results;
    },
  };
}
