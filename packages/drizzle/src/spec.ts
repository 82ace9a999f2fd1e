import {
  bigint,
  boolean,
  bytes,
  date,
  type Field,
  type FieldOptions,
  json,
  number,
  text,
  type TextSearchOptions,
} from '@eaas/sdk/fields';
import { refuse } from './error.ts';

/**
 * How a column can be searched: `text` without restrictions, `guessable` only with `lowEntropy: 'accepted'`, and `none`
 * not at all.
 */
export type Search = 'text' | 'guessable' | 'none';

type Binding = { readonly table: string; readonly field: string };

/** Options of `searchable` for a text column. */
export interface TextSearch {
  /** Steps, in order, that map similar texts to one text: `['trim', 'lowercase']`. The stored value is not changed. */
  readonly normalize?: TextSearchOptions<true>['normalize'];
  /** The column whose fingerprints this column shares, so that `eq` can compare the two columns. */
  readonly boundTo?: Binding | undefined;
}

/** Options of `searchable` for a column whose values are easy to guess, such as numbers. */
interface GuessableSearch {
  /** Confirms that you accept the risk: anyone who can compute fingerprints can find every value by brute force. */
  readonly lowEntropy: 'accepted';
  /** The column whose fingerprints this column shares, so that `eq` can compare the two columns. */
  readonly boundTo?: Binding | undefined;
}

/** The parameters of `searchable`. Bytes and JSON cannot be searched. */
export type SearchParameters<S extends Search> = S extends 'text'
  ? [options?: TextSearch]
  : S extends 'guessable'
    ? [options: GuessableSearch]
    : [never];

/** Options of an encrypted column. */
export type ColumnOptions<Value> = Pick<FieldOptions<Value>, 'context' | 'previous' | 'allowCiphertexts'>;

export interface ColumnSpec<Value> {
  readonly field: Field<Value>;
  readonly search: ((options: never) => Field<Value>) | undefined;
}

type Options<Value> = ColumnOptions<Value> | undefined;

interface GuessableField<Value> extends Field<Value> {
  searchable(search: GuessableSearch): Field<Value>;
}

const guessable =
  <Value>(create: (options?: ColumnOptions<Value>) => GuessableField<Value>) =>
  (options: Options<Value>): ColumnSpec<Value> => {
    const field = create(options);
    return { field, search: (search: GuessableSearch) => field.searchable(requireSearch(search)) };
  };

export const specs = {
  text: (options: Options<string>): ColumnSpec<string> => {
    const field = text(options);
    return { field, search: (search: TextSearch = {}) => field.searchable(requireSearch(search)) };
  },
  number: guessable<number>(number),
  bigint: guessable<bigint>(bigint),
  boolean: guessable<boolean>(boolean),
  date: guessable<Date>(date),
  bytes: (options: Options<Uint8Array>): ColumnSpec<Uint8Array> => ({
    field: bytes(options),
    search: undefined,
  }),
  json: <Value>(options: Options<Value>): ColumnSpec<Value> => ({
    field: json<Value>(options),
    search: undefined,
  }),
};

function requireSearch<T extends object>(search: T): T {
  if (Object.hasOwn(search ?? {}, 'bits')) {
    refuse(
      'schema',
      {},
      'with `bits`, a search can find too many rows, and the database cannot drop the wrong rows',
      'omit `bits`, or use `@eaas/sdk/fields` and drop the wrong rows after decryption',
    );
  }
  if (Object.hasOwn(search ?? {}, 'column')) {
    refuse('schema', {}, 'the index column is always called `<column>_index`', 'omit `column`');
  }
  return search;
}
