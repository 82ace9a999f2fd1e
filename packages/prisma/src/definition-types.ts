import type { Bound, Field, FieldsDefinition, Tables } from '@eaas/sdk/fields';
import type { ModelOptions } from './models.ts';

/** Maps model names to table names of the definition. */
export type Mapping = Readonly<Record<string, string | ModelOptions>>;

type TableOf<Models, Name> = Name extends keyof Models
  ? Models[Name] extends string
    ? Models[Name]
    : Models[Name] extends { readonly table: infer Table extends string }
      ? Table
      : Name
  : Name;

type ColumnsOf<E, Name> =
  E extends Encrypted<infer T, infer Models>
    ? TableOf<Models, Name> extends infer Table
      ? Table extends keyof T
        ? T[Table]
        : object
      : never
    : never;

/** The encrypted tables of a Prisma client, with the mapping from models to tables. */
export interface Encrypted<T extends Tables, Models> {
  readonly tables: FieldsDefinition<T>['tables'];
  readonly models: Models;
}

/** The types of the plaintext values in the encrypted fields of a model. */
export type ValuesOf<E, Name> = {
  [
    Column in keyof ColumnsOf<E, Name> as ColumnsOf<E, Name>[Column] extends Field<unknown> ? Column : never
  ]: ColumnsOf<E, Name>[Column] extends Field<infer Value> ? Value : never;
};

/** The index column of each searchable field of a model. */
export type IndexesOf<E, Name> = {
  [Column in keyof ColumnsOf<E, Name>]: ColumnsOf<E, Name>[Column] extends Field<unknown, Bound, infer Index>
    ? Index extends true
      ? `${Column & string}_index`
      : Index & string
    : never;
};

export type HiddenIn<E, Name> = IndexesOf<E, Name>[keyof IndexesOf<E, Name>];

/** The payload type of a model in a generated Prisma client. */
export interface Payload {
  readonly name: string;
  readonly scalars: object;
  readonly objects: object;
}

export type TargetOf<Relation> =
  NonNullable<Relation> extends readonly (infer One)[] ? One : NonNullable<Relation>;
export type Kept = string | number | bigint | boolean | symbol | null | undefined | Date | ArrayBufferView;
