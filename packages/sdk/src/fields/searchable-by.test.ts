import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import {
  checkConstraints,
  createIndexKey,
  defineFields,
  field,
  part,
  unencrypted,
  withFields,
} from './fields.ts';

const fields = defineFields({
  patients: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    ssn: field
      .text()
      .searchable()
      .searchableBy({
        last4: part.lastCharacters(4),
        first3: part.firstCharacters(3, { column: 'ssn_area', bits: 8 }),
      }),
    name: field.text().searchableBy({
      words: part.words(),
      start: part.prefixes(2, 4, { bits: 128 }),
      and_born: withFields(['born', 'member']),
    }),
    born: field.date().searchableBy({ month: part.months() }),
    member: field.boolean(),
    income: field.number().searchableBy({ band: part.steps(10_000) }),
  },
});

const ada = {
  id: 1,
  ssn: '123-45-6789',
  name: 'Ada King-Noël',
  born: new Date('1815-12-10'),
  member: true,
  income: 61_000,
};

async function open() {
  const { client, service } = await observedClient();
  const index = await createIndexKey(client);
  return { client, service, index, records: fields.for(client, { index }) };
}

test('decryption removes the index columns that encryption adds to a row', async () => {
  const { records } = await open();
  const stored = await records.encryptRow('patients', 1, ada);
  const one = /^[\da-f]{64}$/;
  expect(stored).toMatchObject({
    ssn_index: expect.stringMatching(one),
    ssn_last4_index: expect.stringMatching(one),
    ssn_area: expect.stringMatching(/^[\da-f]{2}$/),
    name_words_index: expect.stringMatching(/^[\da-f]{64}( [\da-f]{64}){2}$/),
    name_start_index: expect.stringMatching(/^[\da-f]{32}( [\da-f]{32}){2}$/),
    name_and_born_index: expect.stringMatching(one),
    born_month_index: expect.stringMatching(one),
    income_band_index: expect.stringMatching(one),
  });
  expect(Object.keys(stored)).toHaveLength(Object.keys(ada).length + 8);
  expect(await records.decryptRow('patients', 1, stored)).toEqual(ada);
});

test('the client computes the fingerprints of `searchableBy`, and never sends them to the service', async () => {
  const { client, service, index } = await open();
  const records = fields.for(client, { index: ['service', index] });
  const stored = await records.encryptRow('patients', 1, ada);
  const hashed = () => service.requests.filter(({ route }) => route?.includes('hash'));
  expect(hashed()).toHaveLength(1);
  const { ssn_last4_index } = await records.where('patients', { ssn: { last4: '6789' } });
  expect(ssn_last4_index).toEqual([stored.ssn_last4_index]);
  expect((await records.where('patients', { ssn: ada.ssn })).ssn_index).toHaveLength(2);
  expect(hashed()).toHaveLength(2);
  const message = 'patients.ssn is searchable by parts (`searchableBy`), which needs an index key';
  expect(() => fields.for(client, { index: 'service' })).toThrow(message);
});

test('neither a search nor a row tells the order of buckets, words or index keys', async () => {
  const { client } = await observedClient();
  const keys = await Promise.all(Array.from({ length: 8 }, () => createIndexKey(client)));
  const records = fields.for(client, { index: ['service', ...keys] });
  const name = 'ada king noel byron of lovelace';
  const month = { from: new Date('1946-01-01'), to: new Date('1947-12-31') };
  const terms = await records.where('patients', { ssn: ada.ssn, name: { words: name }, born: { month } });
  const { ssn_index, name_words_index, born_month_index } = terms;
  const lists = [ssn_index, born_month_index, ...name_words_index];
  expect(lists.map(({ length }) => length)).toEqual([9, 24 * 8, 8, 8, 8, 8, 8, 8]);
  for (const oneOf of lists) expect(oneOf).toEqual(oneOf.map(String).toSorted());
  const firsts = name_words_index.map(([first]) => String(first));
  expect(firsts).toEqual(firsts.toSorted());
  const stored = await records.encryptRow('patients', 1, { ...ada, name });
  const marks = stored.name_words_index?.split(' ');
  expect(marks).toHaveLength(6);
  expect(marks).toEqual(marks?.toSorted());
});

test('null and a value without parts have no fingerprint', async () => {
  const { records } = await open();
  const none = { ssn: null, name: null, born: null, member: true, income: Number.NaN };
  const withoutAny = new Map(Object.entries(await records.encryptRow('patients', 1, none)));
  const filled = [...withoutAny].filter(([column, stored]) => !(column in none) && stored !== null);
  expect(filled).toEqual([]);
  expect(withoutAny.size).toBe(Object.keys(none).length + 8);
  const short = { name: '-', born: ada.born, member: true, ssn: '12', ssn_last4_index: 'stale' };
  expect(await records.encryptRow('patients', 1, short)).toMatchObject({
    ssn_index: expect.any(String),
    ssn_last4_index: null,
    name_words_index: null,
    name_start_index: null,
    name_and_born_index: expect.any(String),
  });
  const stored = await records.encryptRow('patients', 1, { id: 1, income: undefined });
  expect(Object.entries(stored)).toEqual([
    ['id', 1],
    ['income', undefined],
    ['income_band_index', undefined],
  ]);
});

test.each([
  ['with undefined for one field', { name: 'Ada', born: ada.born, member: undefined }],
  ['with null for one field and no other field', { born: null }],
])('encryptRow refuses a row %s if an index needs the values of three fields', async (_, row) => {
  const { records } = await open();
  await expect(records.encryptRow('patients', 1, row)).rejects.toThrow(
    /patients\.name of row 1: the index `name_and_born_index` is computed from name, born, member: pass a value for `\w+`/,
  );
});

test('check constraints allow only fingerprints of the defined length in the index columns of `searchableBy`', () => {
  const statement = checkConstraints(fields, 'patients', { columns: { ssn_area: 'area' } });
  expect(statement).toContain(`add check ("area" ~ '^[0-9a-f]{2}( [0-9a-f]{2})*$')`);
  expect(statement).toContain(`add check ("name_start_index" ~ '^[0-9a-f]{32}( [0-9a-f]{32})*$')`);
  expect(statement).not.toContain('"ssn_index"');
});

test('encryptRow refuses an index column if the row lacks the fields of the index', async () => {
  const { records } = await open();
  await expect(records.encryptRow('patients', 1, { id: 1, name_and_born_index: '6789' })).rejects.toThrow(
    'the SDK computes the index column `name_and_born_index` from patients.name and patients.born and ' +
      'patients.member: pass `name` and `born` and `member`, or remove `name_and_born_index` from the row',
  );
});

const born = { from: new Date('1815-01-01') };

test.each([
  ['a text that is too short', { ssn: { last4: '89' } }, 'must have at least 4 characters'],
  ['a text without words', { name: { words: '--' } }, 'must not be empty after normalization'],
  ['no index', { ssn: {} }, 'the query must name at least one index'],
  ['a value of another type', { ssn: { last4: 6789 } }, 'patients.ssn: expected a string'],
  ['a range without `to`', { born: { month: { from: born.from } } }, 'a range needs `from` and `to`'],
  ['a range of 1,001 buckets', { income: { band: { from: 0, to: 1e7 } } }, 'at most 1000 buckets'],
  [
    'some of the fields',
    { name: { and_born: { name: 'Ada', born: born.from } } },
    'a value for each of name, born',
  ],
  ['a whole value without an index', { name: 'Ada' }, 'searchable only by words, start, and_born'],
])('`where` refuses a search by %s', async (_, query, message) => {
  const { records } = await open();
  await expect(records.where('patients', query as never)).rejects.toThrow(message);
});

const tableOf = (parts: object) => () => {
  const a = field.text().searchableBy(parts as never);
  return defineFields({ t: { lowEntropy: 'accepted', ...unencrypted('a_x_index'), a } });
};

test.each<[string, () => unknown, string]>([
  ['the length 0', () => part.lastCharacters(0), '`part.lastCharacters` must be an integer from 1 to 64'],
  ['lengths in the wrong order', () => part.prefixes(4, 2), 'must not be greater than the second'],
  ['a column that exists', tableOf({ x: part.words() }), 'contains the name a_x_index twice'],
  ['too many bits', () => part.words({ bits: 257 }), 'must be an integer from 1 to 256 (got 257)'],
])('an index with %s is refused', (_, define, message) => {
  expect(define).toThrow(message);
});
