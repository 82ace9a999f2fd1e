// The bytes of a column, against a second implementation: test/vectors/columns.py. What stands here is written out, and not taken
// from the constants that it pins.
import { createLocalService } from '@eaas/local';
import { formatIndexKey, fromHex, parseIndexKey, toHex } from '@eaas/protocol/internal';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { expect, test } from 'vitest';
import { EaasClient } from '../index.ts';
import { defineFields, field, type Normalization, part, withFields } from './fields.ts';
import { normalizer } from './normalize.ts';
import type { FieldsTables } from './row-types.ts';
import { storedId } from './stored-id.ts';

const { variable, index_key, ...given } = vectors('fields');
const client = new EaasClient({ service: createLocalService({ sealed: variable }) });

type Given = string | boolean;
/** What a value is, by its type, and how the vectors write it. */
const types = {
  text: [field.text, String],
  number: [field.number, Number],
  bigint: [field.bigint, BigInt],
  boolean: [field.boolean, Boolean],
  date: [field.date, (text: Given) => new Date(String(text))],
  bytes: [field.bytes, (text: Given) => fromHex(String(text))],
  json: [field.json, (text: Given): unknown => JSON.parse(String(text))],
} as const;
type Type = keyof typeof types;
const valueOf = (type: string, value: Given): unknown => types[type as Type][1](value);
const fieldOf = (type: string, options = {}) => (types[type as Type][0] as typeof field.text)(options);

/** Methods whose names of tables and columns the vectors choose. */
const recordsOf = (table: string, columns: object, index: string = index_key.token) => {
  const tables = { [table]: { lowEntropy: 'accepted', ...columns } } as FieldsTables;
  return defineFields(tables).for(client, { index });
};

test.each(given.values)('the bytes of the $type $value are those of the vector', ({ type, value, bytes }) => {
  const own = fieldOf(type).type;
  expect(toHex(own.encode(valueOf(type, value) as string))).toBe(bytes);
  expect(own.decode(fromHex(bytes))).toStrictEqual(valueOf(type, value));
});

test.each(given.cells)(
  'a $type of another implementation opens in $table, column $field, row $row (its id is a $id)',
  async ({ table, field: name, id, row: of, type, value, ciphertext, ...cell }) => {
    const columns = { [name]: fieldOf(type, 'bound' in cell ? { context: cell.bound } : {}) };
    const rowId = (id === 'text' ? of : valueOf(id, of)) as string;
    const opened = await recordsOf(table, columns).decryptRow(table, rowId, { [name]: ciphertext });
    expect(opened).toStrictEqual({ [name]: valueOf(type, value) });
  },
);

test.each(given.ids)('in a column with the form $form, the id "$id" is the row $row', ({ form, id, row }) => {
  expect(storedId(id, form as 'uuid').id ?? null).toBe(row);
});

test.each(given.normalizations)('the steps $steps make $result of $text', ({ steps, text, result }) => {
  expect(normalizer(steps as Normalization[])(text)).toBe(result);
});

test.each(given.words)('the words of $text are $words', ({ text, words }) => {
  const split = part.words({ normalize: [] });
  expect(split.partsOf({ name: 'text', type: field.text().type, value: text })).toEqual(words);
});

test.each(given.wholes)(
  'the fingerprint of $name is that of the vector, in the client and by the service',
  async ({ table, field: name, type, options, value, fingerprint, by_service }) => {
    const columns = { [name]: fieldOf(type).searchable(options as object) };
    const row = { [name]: valueOf(type, value) } as never;
    for (const [index, mark] of [
      [index_key.token, fingerprint],
      ['service', by_service],
    ]) {
      const records = recordsOf(table, columns, index);
      expect((await records.encryptRow(table, 1, row))[`${name}_index`]).toBe(mark);
      expect(await records.where(table, row)).toEqual({ [`${name}_index`]: [mark] });
    }
  },
);

/** A query by the part of a value, such as a range. */
const queryOf = (type: string, query: string | object): unknown =>
  typeof query === 'string'
    ? valueOf(type, query)
    : Object.fromEntries(Object.entries(query).map(([bound, at]) => [bound, valueOf(type, at as string)]));

test.each(given.parts)(
  'the parts of a $type for the index $index by $part have the fingerprints of the vector',
  async ({ index, field: name, type, part: of, options, value, parts, searches, ...vector }) => {
    const numbers = vector.arguments.map((each) => (of === 'steps' ? valueOf(type, String(each)) : each));
    const make = part[of as 'words'] as (...given: unknown[]) => ReturnType<typeof part.words>;
    const columns = { [name]: fieldOf(type).searchableBy({ [index]: make(...numbers, options) }) };
    const records = recordsOf('patients', columns);
    const marks = new Map(Object.entries(vector.fingerprints));
    const marksOf = (of: readonly string[]) => of.map((each) => String(marks.get(each))).toSorted();
    const stored = await records.encryptRow('patients', 1, { [name]: valueOf(type, value) } as never);
    const column = `${name}_${index}_index`;
    expect(stored[column]).toBe(marksOf(parts).join(' '));
    for (const { query, parts: sought } of searches) {
      const asked = { [name]: { [index]: queryOf(type, query) } };
      const found: Record<string, unknown[]> = await records.where('patients', asked as never);
      expect(found[column]?.flat().toSorted()).toEqual(marksOf(sought));
    }
  },
);

test.each(given.combined)('fields together have the fingerprint of the vector', async (vector) => {
  const { field: name, index, values, query, fingerprint } = vector;
  const all = Object.entries(values);
  const columns = Object.fromEntries(all.map(([of, { type }]) => [of, fieldOf(type)]));
  const others = withFields(all.slice(1).map(([of]) => of));
  const indexed = { ...columns, [name]: field.text().searchableBy({ [index]: others }) };
  const read = (given: Readonly<Record<string, Given>>): unknown =>
    Object.fromEntries(all.map(([of, { type }]) => [of, valueOf(type, given[of] ?? '')]));
  const row = read(Object.fromEntries(all.map(([of, { value }]) => [of, value])));
  const records = recordsOf('patients', indexed);
  const column = `${name}_${index}_index`;
  expect((await records.encryptRow('patients', 1, row as never))[column]).toBe(fingerprint);
  const search = { [name]: { [index]: read(query) } };
  expect(await records.where('patients', search as never)).toEqual({ [column]: [fingerprint] });
});

test('the index key opens with the context of the vector, and its text is written as it was read', async () => {
  const { key, token, without_context, refused, wrap_context } = index_key;
  const wrapped = parseIndexKey(token) ?? { keyId: '', keyVersion: 0, wrappedKey: new Uint8Array() };
  expect(formatIndexKey(wrapped)).toBe(token);
  expect(wrap_context).toEqual({ purpose: 'eaas index key v1' });
  expect(await client.unwrap(wrapped, { wrapContext: wrap_context })).toEqual(bytes(key));
  const search = recordsOf('t', { f: field.text().searchable() }, without_context).where('t', { f: 'x' });
  await expect(search).rejects.toMatchObject({ code: 'decryption' });
  for (const text of Object.values(refused)) expect(parseIndexKey(text)).toBeUndefined();
});
