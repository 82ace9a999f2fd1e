// What the types of a definition say of a model of Prisma: its values, index columns and filters.
import type {
  Concealed,
  Field,
  FieldsDefinition,
  OnError,
  FieldsQuery,
  FieldsTables,
} from '@eaas/sdk/fields';
import type {
  Bound,
  IndexColumns,
  InputOf,
  ReadOf,
  SubstituteOf,
  Throwing,
  ThrowingUnlessErased,
} from '@eaas/sdk/internal';
import type { ModelOptions } from './models.ts';

/** Maps model names to table names of the definition. */
export type ModelMapping = Readonly<Record<string, string | ModelOptions>>;

type TableOf<Models, Name> = Name extends keyof Models
  ? Models[Name] extends string
    ? Models[Name]
    : Models[Name] extends { readonly table: infer Table extends string }
      ? Table
      : Name
  : Name;

type ColumnsOf<E, Name> =
  E extends Encrypted<infer T, infer Models, unknown>
    ? TableOf<Models, Name> extends infer Table
      ? Table extends keyof T
        ? T[Table]
        : object
      : never
    : never;

export interface Encrypted<T extends FieldsTables, Models, Handlers, Reveal = unknown> {
  readonly tables: FieldsDefinition<T>['tables'];
  readonly models: Models;
  readonly handlers: Handlers;
  /** True if concealed fields are read as values. */
  readonly reveal: Reveal;
}

/** The definition with the argument `onError` of a query, if it has one. */
export type WithHandler<E, Given> = Given extends { readonly onError: infer Handler }
  ? E extends Encrypted<infer T, infer Models, unknown, infer Reveal>
    ? Encrypted<T, Models, Handler, Reveal>
    : E
  : E;

/** What stands for a value of the model that cannot be decrypted. */
export type SubstituteIn<E, Name> =
  E extends Encrypted<infer T, infer Models, infer Handlers>
    ? TableOf<Models, Name> extends infer Table
      ? [Throwing] extends [Handlers]
        ? DefaultIn<T, Table>
        : Handlers extends OnError
          ? SubstituteOf<Handlers>
          : Table extends keyof Handlers
            ? SubstituteOf<Handlers[Table]>
            : DefaultIn<T, Table>
      : never
    : never;

type DefaultIn<T, Table> = Table extends keyof T ? SubstituteOf<ThrowingUnlessErased<T[Table]>> : never;

export type ValuesOf<E, Name> = {
  [
    Column in keyof ColumnsOf<E, Name> as ColumnsOf<E, Name>[Column] extends Field<unknown> ? Column : never
  ]: ColumnsOf<E, Name>[Column] extends Field<infer Value> ? Value : never;
};

/** What the app reads, which is a handle of a concealed field unless `Reveal` is true. */
export type ReadIn<E, Name, Column, Reveal = E[keyof E & 'reveal']> = ReadOf<
  ColumnsOf<E, Name>[Column & keyof ColumnsOf<E, Name>],
  Column,
  Reveal
>;

/** The handles of a field. */
export type HandleIn<E, Name, Column> = Extract<ReadIn<E, Name, Column, []>, Concealed<unknown>>;

/** What the app writes, where `ValuesOf` is what it reads. */
export type InputsOf<E, Name> = {
  [Column in keyof ValuesOf<E, Name>]: InputOf<ColumnsOf<E, Name>[Column & keyof ColumnsOf<E, Name>]>;
};

export type IndexesOf<E, Name> = {
  [Column in keyof ColumnsOf<E, Name>]: ColumnsOf<E, Name>[Column] extends Field<unknown, Bound, infer Index>
    ? Index extends true
      ? `${Column & string}_index`
      : Index & string
    : never;
};

export type IndexColumnsOf<E, Name> = IndexColumns<ColumnsOf<E, Name>>;

export type FieldOfIndex<E, Name, Column> = {
  [Key in keyof IndexesOf<E, Name>]: Column extends IndexesOf<E, Name>[Key] ? Key : never;
}[keyof IndexesOf<E, Name>];

export type PartFilter<E, Name, Key> =
  FieldsQuery<ColumnsOf<E, Name>> extends infer Asked
    ? Key extends keyof Asked
      ? Exclude<NonNullable<Asked[Key]>, ValuesOf<E, Name>[Key & keyof ValuesOf<E, Name>]>
      : never
    : never;

export interface Payload {
  readonly name: string;
  readonly scalars: object;
  readonly objects: object;
}

export type TargetOf<Relation> =
  NonNullable<Relation> extends readonly (infer One)[] ? One : NonNullable<Relation>;
export type Kept = string | number | bigint | boolean | symbol | null | undefined | Date | ArrayBufferView;
