// `field`, `plaintext` and `unencrypted`, from which an app builds the definition of a table.
import {
  callback,
  flag,
  having,
  list,
  oneOf,
  type OptionRules,
  requireKind,
  requireOptions,
  text as string,
} from '@eaas/protocol/internal';
import type {
  Bound,
  Concealable,
  Field,
  FieldOptions,
  Index,
  LowEntropyField,
  Names,
  Plaintext,
  PlaintextOptions,
  SearchOptions,
  StandardSchema,
  TextField,
  TextSearchOptions,
  Unencrypted,
} from './field.ts';
import { normalizer } from './normalize.ts';
import { type PartIndexes, sizeOf, sizeRules } from './part-index.ts';
import {
  bigintType,
  booleanType,
  bytesType,
  dateType,
  jsonType,
  numberType,
  refuse,
  textType,
  type ValueType,
} from './value-types.ts';

const searchOptions: OptionRules<SearchOptions<string>> = { ...sizeRules, boundTo: 'anything' };
const textSearchOptions: OptionRules<TextSearchOptions<string>> = { ...searchOptions, normalize: 'anything' };

const text: <B extends Bound = 'row'>(options?: FieldOptions<string, B>) => TextField<NoInfer<B>> =
  /* @__PURE__ */ searchable(textType, ({ normalize = [] }) => normalizer(normalize), textSearchOptions);

// Makes -0 equal to 0 in searches.
const number = /* @__PURE__ */ searchable(numberType, () => (value) => value + 0);

const bigint = /* @__PURE__ */ searchable(bigintType);

const boolean = /* @__PURE__ */ searchable(booleanType);

const date = /* @__PURE__ */ searchable(dateType);

function bytes<B extends Bound = 'row'>(
  options?: FieldOptions<Uint8Array, B>,
): Concealable<Field<Uint8Array, NoInfer<B>, false>> {
  return fieldOf(bytesType, options);
}

/**
 * Defines a field of JSON values that a schema checks: the app writes what the schema accepts, which is stored as it is, and
 * reads what the schema makes of it. Encrypting a value that the schema refuses throws FieldError, and so does decrypting
 * it, unless `onError` says what stands for it. The schema must be synchronous, and does not get null.
 */
function json<Output, Input = Output, B extends Bound = 'row'>(
  schema: StandardSchema<Input, Output>,
  options?: FieldOptions<NoInfer<Input>, B>,
): Concealable<Field<Output, NoInfer<B>, false> & { readonly schema: StandardSchema<Input, Output> }>;
/**
 * Defines a field of JSON values, such as `field.json<Notes>()`, whose ciphertexts are not bound to the id of their row.
 * Decryption does not check that a value has the type `Value`.
 */
function json<Value>(
  options: FieldOptions<Value> & { readonly context: 'field' },
): Concealable<Field<Value, 'field', false>>;
/**
 * Defines a field of JSON values, such as `field.json<Notes>()`. Encrypting a value that JSON cannot represent, such as
 * a Date or NaN, throws FieldError. Members that are undefined are omitted, as in `JSON.stringify`, but undefined in an
 * array throws. Decryption does not check that the value has the type `Value`.
 */
function json<Value>(options?: FieldOptions<Value>): Concealable<Field<Value, 'row', false>>;
function json(given?: object, options?: FieldOptions<unknown>): object {
  if (!('~standard' in Object(given))) return fieldOf(jsonType, given);
  return concealable({ ...fieldOf(jsonType, options), schema: given });
}

/**
 * The encrypted columns of a table, by the type of their values: `field.text()`, `field.date()`, `field.json<Notes>()`.
 * The same field is a column in `defineFields`, in Prisma and in Drizzle. With `.concealed()` at the end, it is read as a handle that
 * no log, response or prompt shows.
 *
 * @example
 * ```ts
 * import { defineFields, field } from '@eaas/sdk/fields';
 *
 * const fields = defineFields({
 *   patients: { ssn: field.text().searchable(), born: field.date(), notes: field.json<{ tags: string[] }>() },
 * });
 * ```
 */
export const field = {
  /**
   * Defines a field of text. `.searchable()` lets a search find rows by the whole text. `.searchableBy()` lets a search
   * find rows by a part of the text. `client.decrypt` with `as: 'text'` can also decrypt the field. Encrypting a text
   * with a lone surrogate (invalid Unicode) throws FieldError.
   */
  text,
  /** Defines a field of numbers. Encryption preserves NaN, the infinities and -0. */
  number,
  /** Defines a field of bigints of any size. The length of a ciphertext reveals how large its number is. */
  bigint,
  /** Defines a field of booleans. The ciphertexts of true and false have the same length. */
  boolean,
  /** Defines a field of Dates, with milliseconds. Encrypting an invalid Date throws FieldError. */
  date,
  /** Defines a field of bytes. Bytes cannot be searched. */
  bytes,
  /**
   * Defines a field of JSON values, such as `field.json<Notes>()`, or with a schema that checks what is written and what is
   * read, such as `field.json(z.object({ … }))`: what it refuses throws FieldError.
   *
   * @example
   * ```ts
   * import { field } from '@eaas/sdk/fields';
   * import { z } from 'zod';
   *
   * const notes = field.json<{ tags: string[] }>(); // what is stored is believed
   * const checked = field.json(z.object({ tags: z.array(z.string()).default([]) }));
   * ```
   */
  json,
};

/**
 * Returns columns that are not encrypted. Spread the result into a table:
 * `users: { ...unencrypted('id', 'city'), email: field.text() }`.
 *
 * @example
 * ```ts
 * import { defineFields, field, unencrypted } from '@eaas/sdk/fields';
 *
 * const fields = defineFields({ users: { ...unencrypted('id', 'city'), email: field.text() } });
 * ```
 */
export function unencrypted<const Name extends string>(
  ...names: readonly Name[]
): { readonly [Column in Name]: Unencrypted } {
  for (const name of names) requireKind(string, name, 'each argument of `unencrypted`');
  return Object.fromEntries(names.map((name) => [name, { unencrypted: true }])) as {
    [Column in Name]: Unencrypted;
  };
}

/**
 * Lets a field read plaintext that is still in its column during a migration: `field.text({ previous: plaintext() })`. `read`
 * converts the stored value to the type of the field: `field.number({ previous: plaintext(Number) })`. Remove `previous` when
 * the whole column is encrypted: `inventory` of `@eaas/migrate` then counts no plaintext. While `previous` is set, anyone who
 * can write to the database can store any value, because the field accepts plaintext. With `write`, the field still writes what
 * the version of the app before this one reads, so that both can run. Throws InputError for options that do not fit.
 *
 * @example
 * ```ts
 * import { defineFields, field, plaintext } from '@eaas/sdk/fields';
 *
 * const fields = defineFields({
 *   users: { email: field.text({ previous: plaintext() }), salary: field.number({ previous: plaintext(Number) }) },
 * });
 * ```
 */
export function plaintext<Value>(
  read: Plaintext<Value>['read'] = (stored) => stored as Value,
  options: PlaintextOptions<NoInfer<Value>> = {},
): Plaintext<Value> {
  requireKind(callback, read, 'the first argument of `plaintext`');
  requireOptions<object>({ write: callback, columns: list }, options, 'plaintext');
  if (options.write && options.columns?.length) {
    refuse(
      '`write` of `plaintext` returns one text, and `columns` says that the older form has parts in other columns: ' +
        'stop the version before, and leave out `write`',
    );
  }
  return { ...options, read };
}

function fieldOf<Value, B extends Bound>(type: ValueType<Value>, options: FieldOptions<Value, B> = {}) {
  requireOptions<object>(fieldOptions, options, type.name);
  for (const earlier of [options.renamedFrom ?? []].flat()) requireNames(earlier, 'renamedFrom');
  return concealable({ ...options, type, index: undefined });
}

function concealable<F extends { readonly type: { readonly name: string } }>(field: F): Concealable<F> {
  const concealed = () => {
    if (field.type.name !== 'boolean') return { ...field, concealed: undefined, isConcealed: true as const };
    return refuse(
      'a boolean cannot be concealed, because `if (row.x)` would always hold: use a text or number',
    );
  };
  return { ...field, concealed };
}

const fieldOptions: OptionRules<FieldOptions<never>> = {
  context: (value) =>
    value === 'row' || value === 'field' || typeof value === 'function' || "'row', 'field' or a function",
  previous: having('the return value of `plaintext()`', 'read'),
  renamedFrom: 'anything',
  write: /* @__PURE__ */ oneOf('present'),
  allowCiphertexts: flag,
};

function withParts<Value, B extends Bound, Column extends string | boolean>(field: Field<Value, B, Column>) {
  return {
    ...concealable(field),
    searchableBy: <Parts extends PartIndexes<Value>>(parts: Parts) => concealable({ ...field, parts }),
  };
}

function searchable<Value>(
  type: ValueType<Value>,
  normalizerOf: (search: TextSearchOptions<string | true>) => (value: Value) => Value = () => (value) =>
    value,
  rules = searchOptions,
): <B extends Bound = 'row'>(options?: FieldOptions<Value, B>) => LowEntropyField<Value, NoInfer<B>> {
  return (options) => {
    const field = fieldOf(type, options);
    return {
      ...withParts(field),
      searchable<Column extends string | true>(search: SearchOptions<Column> = {}) {
        requireOptions<object>(rules, search, 'searchable');
        return withParts({ ...field, index: indexOf(search, normalizerOf(search)) });
      },
    };
  };
}

function indexOf<Value, Column extends string | true>(
  search: SearchOptions<Column>,
  normalize: (value: Value) => Value,
): Index<Value, Column> {
  const { boundTo } = search;
  if (boundTo !== undefined) requireNames(boundTo, 'boundTo');
  return { ...sizeOf(search), boundTo, normalize };
}

function requireNames(names: Names, option: string): void {
  requireOptions({ table: string, field: string }, names, option);
  if (!names.table || !names.field) refuse(`\`${option}\` must have a non-empty \`table\` and \`field\``);
}
