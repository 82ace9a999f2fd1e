import type { PartIndex } from './part-index.ts';
import type {
  Fingerprint,
  Flat,
  IndexColumn,
  NameOf,
  PartColumn,
  PartsOf,
  Plain,
  Searchable,
  ValueOf,
} from './row-types.ts';
import type { FieldsQuery } from './with-fields.ts';

/**
 * The fields to search by, each with the value to find. To search by a part of a value, pass an object with the name of
 * the index: `{ last4: '6789' }`.
 */
export type Query<F> = {
  readonly [Name in Searchable<F>]?:
    | ([IndexColumn<F[Name], Name>] extends [never] ? never : Plain<ValueOf<F[Name]>>)
    | ([keyof PartsOf<F[Name]>] extends [never] ? never : PartQueries<F, Name>);
};

type PartQueries<F, Name extends keyof F> = {
  readonly [Part in keyof PartsOf<F[Name]>]?: PartQuery<F, Name, PartsOf<F[Name]>[Part]>;
};

type PartQuery<F, Name, Index> =
  Index extends PartIndex<never, infer Asked>
    ? Asked extends FieldsQuery<infer Other>
      ? { readonly [Key in (Name | Other) & keyof F]: Plain<ValueOf<F[Key]>> }
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
