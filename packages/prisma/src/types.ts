import type { OnError, Tables } from '@eaas/sdk/fields';
import type {
  Encrypted,
  IndexColumnsOf,
  Kept,
  Payload,
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
export type PrismaPromise<T> = Promise<T> & { readonly [Symbol.toStringTag]: 'PrismaPromise' };

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
  findUnique: PlainRow<E, P, Given> | null;
  findUniqueOrThrow: PlainRow<E, P, Given>;
  findFirst: PlainRow<E, P, Given> | null;
  findFirstOrThrow: PlainRow<E, P, Given>;
  findMany: PlainRow<E, P, Given>[];
  create: PlainRow<E, P, Given>;
  createMany: { count: number };
  createManyAndReturn: PlainRow<E, P, Given>[];
  update: PlainRow<E, P, Given>;
  updateMany: { count: number };
  updateManyAndReturn: PlainRow<E, P, Given>[];
  upsert: PlainRow<E, P, Given>;
  delete: PlainRow<E, P, Given>;
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
) => PrismaPromise<Results<WithHandler<E, Given>, P, Given>[Name]>;

/** What this package adds to the arguments of a query that returns rows. */
export interface QueryOptions {
  /** What a stored value that cannot be decrypted becomes. Defaults to the option `onError` of `encrypted`. */
  onError?: OnError | undefined;
}

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
  ]: () => Client[Name] extends {
    [key: symbol]: { types: infer Types extends ModelTypes };
  }
    ? PlainDelegate<E, Types, Client[Name]>
    : never;
};

/** Replaces the type `object`, which Prisma's types refuse because it has no index signature. */
type Nothing = { [Name in never]: unknown };

/** No interface, because Prisma's types refuse one: it has no index signature. */
type ForUser = {
  /**
   * Returns a client that acts on behalf of a user of the app: the audit log then says who reads whose data. It shares
   * everything with this client but the data keys for decryption. In an interactive transaction, call it on the
   * transaction.
   */
  $as: () => <Self>(this: Self, user: string) => Self;
  /** What `migrate` of `@eaas/migrate` knows of a model. */
  $encryptedTable: () => (table: string) => Source;
};

/** An extension for `prisma.$extends`. */
export type EncryptedExtension<Client, T extends Tables, Models, Handlers = object> = (client: unknown) => {
  $extends: {
    extArgs: {
      result: Nothing;
      model: Nothing;
      query: Nothing;
      client: PlainModels<Encrypted<T, Models, Handlers>, Client> & ForUser;
    };
  };
};

type PlainScalars<E, P extends Payload> = {
  [
    Key in keyof P['scalars'] as Key extends IndexColumnsOf<E, P['name']> ? never : Key
  ]: Key extends keyof ValuesOf<E, P['name']>
    ? ValuesOf<E, P['name']>[Key] | Extract<P['scalars'][Key], null> | SubstituteIn<E, P['name']>
    : P['scalars'][Key];
};

/** Shows the members of a row in the editor, instead of the types that compute them. */
type Flat<T> = { [Key in keyof T]: T[Key] } & {};

type IsChosen<Choice> = Choice extends false | null | undefined ? false : true;

export type PlainRow<E, P, Given> = P extends Payload
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
  ? PlainRow<E, Row, Given>[]
  : Relation extends null
    ? null
    : PlainRow<E, Relation, Given>;
