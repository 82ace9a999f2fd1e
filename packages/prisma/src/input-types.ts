// The types of arguments: those of Prisma, with the types of plaintext for encrypted fields.
import type {
  FieldOfIndex,
  HandleIn,
  IndexColumnsOf,
  IndexesOf,
  InputsOf,
  Kept,
  PartFilter,
  Payload,
  TargetOf,
} from './definition-types.ts';

/** Prisma's argument types, in which encrypted fields have the types of their plaintext. */
export type PlainInput<E, P, Given> = Given extends Kept | ((...args: never) => unknown)
  ? Given
  : Given extends readonly (infer Item)[]
    ? PlainInput<E, P, Item>[]
    : P extends Payload
      ? {
          [
            Key in keyof Given as Key extends IndexColumnsOf<E, P['name']>
              ? Exclude<FieldOfIndex<E, P['name'], Key>, keyof Given>
              : Key
          ]: Key extends IndexColumnsOf<E, P['name']>
            ? InputsOf<E, P['name']>[FieldOfIndex<E, P['name'], Key> & keyof InputsOf<E, P['name']>]
            : Key extends keyof InputsOf<E, P['name']>
              ? PlainArgument<
                  Given[Key],
                  InputsOf<E, P['name']>[Key],
                  IndexesOf<E, P['name']>[Key & keyof IndexesOf<E, P['name']>],
                  PartFilter<E, P['name'], Key>,
                  HandleIn<E, P['name'], Key>
                >
              : Key extends keyof P['objects']
                ? PlainInput<E, TargetOf<P['objects'][Key]>, Given[Key]>
                : Key extends keyof P['scalars']
                  ? Given[Key]
                  : PlainInput<E, P, Given[Key]>;
        }
      : Given;

type PlainArgument<Given, Value, Index, Parts, Handle> = 'asc' extends Given
  ? string extends Given
    ? PlainOperand<Given, Value, Index, Parts, Handle>
    : never
  : string extends Given
    ? PlainOperand<Given, Value, Index, Parts, Handle>
    : Given;

type Absent<Given> = Extract<Given, null | undefined>;

type PlainOperand<Given, Value, Index, Parts, Handle> = [Extract<Given, { equals?: unknown }>] extends [never]
  ? [Extract<Given, { set?: unknown }>] extends [never]
    ? Value | Handle | Absent<Given>
    : Value | Handle | Operation<Value, Handle | Absent<Given>> | Absent<Given>
  : [Index] extends [never]
    ? NullFilter | Parts | Absent<Given>
    : Value | EqualityFilter<Value> | Parts | Absent<Given>;

/** In a JSON field, `{ set }` would be a value. */
type Operation<Value, Null> = [Value] extends [Kept] ? { set?: Value | Null } : never;

interface NullFilter {
  equals?: null;
  not?: null;
}

interface EqualityFilter<Value> {
  equals?: Value | null;
  in?: Value[];
  notIn?: Value[];
  not?: Value | EqualityFilter<Value> | null;
}
