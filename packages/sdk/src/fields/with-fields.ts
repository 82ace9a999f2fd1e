// `withFields`: an index of several fields together, and the types of a search by fields and their parts.
import { pae } from '@eaas/protocol/internal';
import {
  foldOf,
  indexOf,
  type PartIndex,
  type TextPartOptions,
  textPartOptions,
  type TypedValue,
} from './part-index.ts';
import type {
  FieldName,
  Fingerprint,
  Flat,
  IndexColumn,
  InputOf,
  NameOf,
  PartColumn,
  PartsOf,
  Plain,
  ValueOf,
} from './row-types.ts';
import { refuse } from './value-types.ts';

/** The query of `withFields`: an object with a value for each field that the index combines. */
export interface WithFieldsQuery<Name extends string> {
  readonly 'a value for each field': Name;
}

/**
 * Finds rows by the values of several fields together. Ignores case and accents in texts. Reveals which rows have the
 * same combination of values. To find the values of a row, an attacker must try all combinations.
 *
 * @example
 * ```ts
 * import { defineFields, field, withFields } from '@eaas/sdk/fields';
 *
 * const name = field.text().searchableBy({ withBorn: withFields(['born']) });
 * const people = { lowEntropy: 'accepted', name, born: field.date() } as const;
 * const records = defineFields({ people }).for(eaas, { index: process.env.EAAS_INDEX_KEY! });
 * const query = { name: { withBorn: { name: 'Ada', born: new Date('1815-12-10') } } };
 * console.log(Object.keys(await records.where('people', query))); // [ 'name_withBorn_index' ]
 * ```
 */
export function withFields<const Name extends string, const Column extends string | true = true>(
  others: readonly Name[],
  options: TextPartOptions<Column> = {},
): PartIndex<never, WithFieldsQuery<Name>, false, NoInfer<Column>> {
  const index = indexOf('withFields', textPartOptions, options);
  if (!(Array.isArray(others) && others.length > 0)) {
    refuse('the first argument of `withFields` must be a non-empty array of names of fields');
  }
  const fold = foldOf(options);
  const partsOf = (...values: readonly TypedValue[]) => {
    const encoded = values.map(({ type, value }) => {
      // Checks the type: `encode` throws for a value of the wrong type, and `fold` does not.
      type.encode(value);
      if (typeof value === 'string') return type.encode(fold(value));
      return type.encode(typeof value === 'number' ? value + 0 : value); // -0 becomes 0, so that a search for 0 also finds -0.
    });
    return encoded.some(({ length }) => length === 0) ? [] : [pae(...encoded)];
  };
  return {
    ...index,
    others,
    isList: false,
    partsOf,
    soughtBy(query, ...fields) {
      const given = new Map<string, unknown>(Object.entries(Object(query)));
      const isComplete = fields.every(({ name }) => (given.get(name) ?? null) !== null);
      if (!isComplete || given.size !== fields.length) {
        const names = fields.map(({ name }) => name).join(', ');
        refuse(`the query must have a value for each of ${names}, because the index combines these fields`);
      }
      return partsOf(...fields.map(({ name, type }) => ({ name, type, value: given.get(name) })));
    },
  };
}

/**
 * The fields to search by, each with the value to find. To search by a part of a value, pass an object with the name of
 * the index: `{ last4: '6789' }`.
 */
export type FieldsQuery<F> = {
  readonly [Name in FieldName<F>]?:
    | ([IndexColumn<F[Name], Name>] extends [never] ? never : Plain<ValueOf<F[Name]>>)
    | ([keyof PartsOf<F[Name]>] extends [never] ? never : PartQueries<F, Name>);
};

type PartQueries<F, Name extends keyof F> = {
  readonly [Part in keyof PartsOf<F[Name]>]?: PartQuery<F, Name, PartsOf<F[Name]>[Part]>;
};

type PartQuery<F, Name, Index> =
  Index extends PartIndex<never, infer Asked>
    ? Asked extends WithFieldsQuery<infer Other>
      ? { readonly [Key in (Name | Other) & keyof F]: Plain<InputOf<F[Key]>> }
      : Plain<Asked>
    : never;

export type Terms<F, Table extends string, Q> = Flat<
  {
    [
      Name in keyof Q as Name extends keyof F
        ? IsWhole<F[Name], Q[Name]> extends true
          ? IndexColumn<F[Name], Name>
          : never
        : never
    ]: Fingerprint<`${Table}.${Name & string}`>[];
  } & {
    [Term in PartTerms<F, Table, Q> as Term[0]]: Term[1];
  }
>;

type IsWhole<F, Given> = [keyof PartsOf<F>] extends [never]
  ? true
  : NonNullable<Given> extends ValueOf<F>
    ? true
    : false;

type PartTerms<F, Table extends string, Q> = {
  [Name in keyof Q & NameOf<F>]: {
    [Part in keyof Q[Name] & keyof PartsOf<F[Name]>]: readonly [
      PartColumn<PartsOf<F[Name]>[Part], Name, Part>,
      PartsOf<F[Name]>[Part] extends PartIndex<never, never, true>
        ? Fingerprint<`${Table}.${Name}`>[][]
        : Fingerprint<`${Table}.${Name}`>[],
    ];
  }[keyof Q[Name] & keyof PartsOf<F[Name]>];
}[keyof Q & NameOf<F>];
