import type {
  Bound,
  Field,
  FieldOptions,
  Index,
  LowEntropyField,
  SearchOptions,
  TextField,
  TextSearchOptions,
} from './field.ts';
import { jsonType } from './json-type.ts';
import { normalizer } from './normalize.ts';
import { bigintType, booleanType, bytesType, dateType, numberType, textType } from './scalar-types.ts';
import { refuse, type ValueType } from './value-type.ts';

/** Text: what `client.decryptText` reads too. Lone surrogates are refused. */
export function text<B extends Bound = 'row'>(options?: FieldOptions<string, B>): TextField<NoInfer<B>> {
  const field = fieldOf(textType, options);
  return {
    ...field,
    searchable: <Column extends string | true>(search: TextSearchOptions<Column> = {}) => ({
      ...field,
      index: indexOf(search, normalizer(search.normalize ?? [])),
    }),
  };
}

/** A number, exactly: NaN, the infinities and -0 too. */
export function number<B extends Bound = 'row'>(
  options?: FieldOptions<number, B>,
): LowEntropyField<number, NoInfer<B>> {
  // To whoever searches, 0 and -0 are one number.
  return lowEntropy(fieldOf(numberType, options), (value) => value + 0);
}

/** A bigint of any size. The length of the ciphertext tells about how large it is. */
export function bigint<B extends Bound = 'row'>(
  options?: FieldOptions<bigint, B>,
): LowEntropyField<bigint, NoInfer<B>> {
  return lowEntropy(fieldOf(bigintType, options));
}

/** true or false: the two look alike. */
export function boolean<B extends Bound = 'row'>(
  options?: FieldOptions<boolean, B>,
): LowEntropyField<boolean, NoInfer<B>> {
  return lowEntropy(fieldOf(booleanType, options));
}

/** A Date, to the millisecond. An invalid one is refused. */
export function date<B extends Bound = 'row'>(
  options?: FieldOptions<Date, B>,
): LowEntropyField<Date, NoInfer<B>> {
  return lowEntropy(fieldOf(dateType, options));
}

/** Bytes, which cannot be searched. */
export function bytes<B extends Bound = 'row'>(
  options?: FieldOptions<Uint8Array, B>,
): Field<Uint8Array, NoInfer<B>, false> {
  return fieldOf(bytesType, options);
}

/**
 * Anything that JSON can say: `json<Notes>()`. What JSON would drop or change (undefined, a Date, NaN) is refused when
 * it is encrypted. The shape of what was decrypted is not checked.
 */
export function json<Value>(
  options: FieldOptions<Value> & { readonly context: 'field' },
): Field<Value, 'field', false>;
export function json<Value>(options?: FieldOptions<Value>): Field<Value, 'row', false>;
export function json<Value>(options?: FieldOptions<Value>): Field<Value, Bound, false> {
  return fieldOf(jsonType as ValueType<Value>, options);
}

function fieldOf<Value, B extends Bound>(
  type: ValueType<Value>,
  options: FieldOptions<Value, B> = {},
): Field<Value, B, false> {
  const { context = 'row' } = options;
  if (context !== 'row' && context !== 'field' && typeof context !== 'function') {
    refuse('the context of a field is `row`, `field` or a function');
  }
  return { ...options, type, index: undefined };
}

function lowEntropy<Value, B extends Bound>(
  field: Field<Value, B, false>,
  normalize: (value: Value) => Value = (value) => value,
): LowEntropyField<Value, NoInfer<B>> {
  return {
    ...field,
    searchable(search) {
      // Types do not reach whoever calls from JavaScript.
      if ((search as { lowEntropy?: unknown } | undefined)?.lowEntropy !== 'accepted') {
        const { name } = field.type;
        refuse(`a ${name} is found by trying: searchable({ lowEntropy: 'accepted' }) if that is acceptable`);
      }
      return { ...field, index: indexOf(search, normalize) };
    },
  };
}

function indexOf<Value, Column extends string | true>(
  { column, bits = 256, boundTo }: SearchOptions<Column>,
  normalize: (value: Value) => Value,
): Index<Value, Column> {
  if (!(Number.isInteger(bits) && bits >= 1 && bits <= 256)) refuse('an index keeps 1 to 256 bits');
  const names = [column ?? '', boundTo?.table ?? '', boundTo?.field ?? ''];
  // Half a place would be a place of its own, which nothing else is bound to.
  if (names.some((name) => typeof name !== 'string') || (boundTo && !(boundTo.table && boundTo.field))) {
    refuse('an index has a column name, and is bound to a table and a field');
  }
  return { column: column ?? (true as Column), bits, boundTo, normalize };
}
