// The types of the extended client: those of Prisma, whose rows have the types of plaintext.
import type { FieldsClient, OnError, FieldsTables } from '@eaas/sdk/fields';
import type { clientOf } from '@eaas/sdk/internal';
import type {
  Encrypted,
  IndexColumnsOf,
  Kept,
  Payload,
  ReadIn,
  SubstituteIn,
  ValuesOf,
  WithHandler,
} from './definition-types.ts';
import type { PlainInput } from './input-types.ts';
import type { Source } from './table-source.ts';

type Exact<Given, Wanted> =
  | (Given extends (...args: never) => unknown
      ? Given
      : Wanted extends Given
        ? { [Key in keyof Given]: Exact<Given[Key], Key extends keyof Wanted ? Wanted[Key] : never> }
        : Wanted)
  | (Given extends Kept | [] ? Given : never);

/** The type of the queries that `$transaction` accepts in a batch. */
type PrismaPromise<T> = Promise<T> & { readonly [Symbol.toStringTag]: 'PrismaPromise' };

type Count<Given> = Given extends { select: infer Select }
  ? Select extends true
    ? number
    : { [Key in keyof Select]: number }
  : number;

type Aggregate<P extends Payload, Given> = {
  [Key in keyof Given as Key extends `_${string}` ? Key : never]: Key extends '_count'
    ? Given[Key] extends true
      ? number
      : { [Name in keyof Given[Key]]: number }
    : { [Name in keyof Given[Key]]: Name extends keyof P['scalars'] ? P['scalars'][Name] | null : never };
};

interface Results<E, P extends Payload, Given> {
  findUnique: PlainResult<E, P, Given> | null;
  findUniqueOrThrow: PlainResult<E, P, Given>;
  findFirst: PlainResult<E, P, Given> | null;
  findFirstOrThrow: PlainResult<E, P, Given>;
  findMany: PlainResult<E, P, Given>[];
  create: PlainResult<E, P, Given>;
  createMany: { count: number };
  createManyAndReturn: PlainResult<E, P, Given>[];
  update: PlainResult<E, P, Given>;
  updateMany: { count: number };
  updateManyAndReturn: PlainResult<E, P, Given>[];
  upsert: PlainResult<E, P, Given>;
  delete: PlainResult<E, P, Given>;
  deleteMany: { count: number };
  count: Count<Given>;
  aggregate: Aggregate<P, Given>;
}

interface ModelTypes {
  readonly payload: Payload;
  readonly operations: object;
}

type ArgsOf<Operation> = Operation extends { args: infer Args } ? Args : never;

type Method<E, P extends Payload, Name extends keyof Results<E, P, object>, Args> = <Given extends Args>(
  ...args: object extends Args ? [args?: Exact<Given, Args>] : [args: Exact<Given, Args>]
) => PrismaPromise<Results<WithHandler<E, Given>, P, Given>[Name]> &
  (Name extends OfOneRow
    ? Following<WithHandler<E, Given>, P, Args, Extract<Results<E, P, Given>[Name], null>>
    : unknown);

type OfOneRow = `find${'Unique' | 'First'}${'' | 'OrThrow'}` | 'create' | 'update' | 'upsert' | 'delete';

/** Follows a query to the rows of a relation, as in `findUnique(…).visits()`. `Absent` is null if there can be no row. */
type Following<E, P extends Payload, Args, Absent> = {
  [Key in keyof P['objects']]: <Given extends RelationArgs<Args, Key>>(
    args?: Exact<Given, RelationArgs<Args, Key>>,
  ) => PrismaPromise<Related<E, P['objects'][Key], Given> | Absent> &
    (NonNullable<P['objects'][Key]> extends infer One extends Payload
      ? Following<E, One, RelationArgs<Args, Key>, Absent | Extract<P['objects'][Key], null>>
      : unknown);
};

/** The arguments of a relation, as in `include`. */
type RelationArgs<Args, Key> = Args extends { include?: infer Include }
  ? Key extends keyof NonNullable<Include>
    ? Exclude<NonNullable<NonNullable<Include>[Key]>, boolean>
    : object
  : object;

/** What this package adds to the arguments of a query that returns rows. */
type QueryOptions = {
  /** What a stored value that cannot be decrypted becomes. Defaults to the option `onError` of `withEncryption`. */
  onError?: OnError | undefined;
};

type PlainDelegate<E, Types extends ModelTypes, Original> = {
  [Name in keyof Types['operations'] & keyof Results<E, Types['payload'], object>]: Method<
    E,
    Types['payload'],
    Name,
    PlainInput<E, Types['payload'], ArgsOf<Types['operations'][Name]>> &
      (Name extends 'createMany' | 'updateMany' | 'deleteMany' | 'count' | 'aggregate'
        ? unknown
        : QueryOptions)
  >;
} & Pick<Original, Exclude<keyof Original, keyof Results<E, Types['payload'], object>>> & {
    [key: symbol]: { types: Types };
  };

type PlainModels<E, Client> = {
  [
    Name in keyof Client as Client[Name] extends { [key: symbol]: { types: ModelTypes } } ? Name : never
  ]: Client[Name] extends {
    [key: symbol]: { types: infer Types extends ModelTypes };
  }
    ? PlainDelegate<E, Types, Client[Name]>
    : never;
};

/** No interface, because apps that emit declarations could not name it. */
type OwnMembers<Client> = {
  /**
   * Returns a client that acts on behalf of a user of the app: the audit log then says who reads whose data. It shares
   * everything with this client but the data keys for decryption. In an interactive transaction, call it on the
   * transaction.
   */
  $as<Self>(this: Self, user: string): Self;
  /** What `migrate` of `@eaas/migrate` knows of a model. */
  $encryptedTable(table: string): Source;
  /** Adds an extension, which sees plaintext. One with methods or computed fields has their types if it is added before. */
  $extends<Self>(this: Self, extension: ExtensionOf<Client>): Self;
};

type ExtensionOf<Client> = Client extends { $extends: (extension: infer Extension) => unknown }
  ? Extension
  : object;

type Transaction<Client> = Client extends {
  $transaction: (work: (tx: infer Tx) => never, options?: infer Options) => unknown;
}
  ? { readonly members: keyof Tx; readonly options: Options }
  : never;

type Transactions<Client, Within> = {
  $transaction<const Batch extends readonly PrismaPromise<unknown>[]>(
    operations: Batch,
    options?: Transaction<Client>['options'],
  ): Promise<{ -readonly [At in keyof Batch]: Awaited<Batch[At]> }>;
  $transaction<Result>(
    work: (tx: Within) => Promise<Result>,
    options?: Transaction<Client>['options'],
  ): Promise<Result>;
  /** How `reveal` finds out who asks. */
  [clientOf](): FieldsClient;
};

type WithPlain<Client, Models> = Models &
  OwnMembers<Client> &
  Omit<Client, keyof Models | keyof OwnMembers<Client> | '$transaction'>;

/** A Prisma client that encrypts: its models have the types of the plaintext, also of concealed fields if `Reveal` is true. */
export type EncryptedClient<
  Client,
  T extends FieldsTables,
  Models,
  Handlers = object,
  Reveal = [],
> = WithPlain<Client, PlainModels<Encrypted<T, Models, Handlers, Reveal>, Client>> &
  Transactions<Client, EncryptedTransaction<Client, T, Models, Handlers, Reveal>> & {
    /** Returns a client that reads concealed fields as values, and not as handles. */
    $revealed(): EncryptedClient<Client, T, Models, Handlers, true>;
  };

/** The client of an interactive transaction of an `EncryptedClient`. */
export type EncryptedTransaction<Client, T extends FieldsTables, Models, Handlers, Reveal> = Within<
  Client,
  WithPlain<Client, PlainModels<Encrypted<T, Models, Handlers, Reveal>, Client>>
> & { $revealed(): EncryptedTransaction<Client, T, Models, Handlers, true>; [clientOf](): FieldsClient };

type Within<Client, Own> = Pick<Own, keyof Own & (Transaction<Client>['members'] | '$as')>;

type PlainScalars<E, P extends Payload> = {
  [
    Key in keyof P['scalars'] as Key extends IndexColumnsOf<E, P['name']> ? never : Key
  ]: Key extends keyof ValuesOf<E, P['name']>
    ? ReadIn<E, P['name'], Key> | Extract<P['scalars'][Key], null> | SubstituteIn<E, P['name']>
    : P['scalars'][Key];
};

/** Shows the members of a row in the editor, instead of the types that compute them. */
type Flat<T> = { [Key in keyof T]: T[Key] } & {};

type IsChosen<Choice> = Choice extends false | null | undefined ? false : true;

/** A row of a result, with the plaintext of encrypted fields, and without index columns. */
export type PlainResult<E, P, Given> = P extends Payload
  ? Given extends { select: infer Select extends object }
    ? Chosen<E, P, Select>
    : Flat<
        (Given extends { omit: infer Omit extends object }
          ? {
              [
                Key in keyof PlainScalars<E, P> as Key extends keyof Omit
                  ? Omit[Key] extends true
                    ? never
                    : Key
                  : Key
              ]: PlainScalars<E, P>[Key];
            }
          : PlainScalars<E, P>) &
          (Given extends { include: infer Include extends object } ? Chosen<E, P, Include> : unknown)
      >
  : never;

type Chosen<E, P extends Payload, Choice> = {
  [Key in keyof Choice as IsChosen<Choice[Key]> extends true ? Key : never]: Key extends keyof P['objects']
    ? Related<E, P['objects'][Key], Choice[Key]>
    : Key extends keyof PlainScalars<E, P>
      ? PlainScalars<E, P>[Key]
      : Key extends '_count'
        ? Choice[Key] extends { select: infer Counted }
          ? { [Name in keyof Counted]: number }
          : { [Name in keyof P['objects']]: number }
        : never;
};

type Related<E, Relation, Given> = Relation extends readonly (infer Row)[]
  ? PlainResult<E, Row, Given>[]
  : Relation extends null
    ? null
    : PlainResult<E, Relation, Given>;
