import type { HiddenIn, IndexesOf, Kept, Payload, TargetOf, ValuesOf } from './definition-types.ts';

/** Prisma's argument types with plaintext types in place of the stored text. */
export type PlainInput<E, P, Given> = Given extends Kept | ((...args: never) => unknown)
  ? Given
  : Given extends readonly (infer Item)[]
    ? PlainInput<E, P, Item>[]
    : P extends Payload
      ? {
          [
            Key in keyof Given as Key extends HiddenIn<E, P['name']> ? never : Key
          ]: Key extends keyof ValuesOf<E, P['name']>
            ? PlainArgument<
                Given[Key],
                ValuesOf<E, P['name']>[Key],
                IndexesOf<E, P['name']>[Key & keyof IndexesOf<E, P['name']>]
              >
            : Key extends keyof P['objects']
              ? PlainInput<E, TargetOf<P['objects'][Key]>, Given[Key]>
              : Key extends keyof P['scalars']
                ? Given[Key]
                : PlainInput<E, P, Given[Key]>;
        }
      : Given;

/** The argument type of an encrypted field. Filters take plaintext, and orders become type errors. */
type PlainArgument<Given, Value, Index> = 'asc' extends Given
  ? string extends Given
    ? PlainOperand<Given, Value, Index>
    : never
  : string extends Given
    ? PlainOperand<Given, Value, Index>
    : Given;

type Absent<Given> = Extract<Given, null | undefined>;

type PlainOperand<Given, Value, Index> = [Extract<Given, { equals?: unknown }>] extends [never]
  ? [Extract<Given, { set?: unknown }>] extends [never]
    ? Value | Absent<Given>
    : Value | { set?: Value | Absent<Given> } | Absent<Given>
  : [Index] extends [never]
    ? NullFilter | Absent<Given>
    : Value | EqualityFilter<Value> | Absent<Given>;

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
