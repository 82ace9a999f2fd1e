// What the mode `encrypt` leaves to do in a row, by the texts of its columns.
import { defineFields, field, plaintext, unencrypted, withFields } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, test } from 'vitest';
import { encrypting } from './encrypting.ts';
import { targetOf } from './source.ts';

const previous = plaintext(String);
const fields = defineFields({
  people: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    name: field.text({ previous }),
    born: field.text({ previous }).searchableBy({ and_name: withFields(['name']) }),
    note: field.text({ previous }),
  },
});
const target = targetOf({ query: () => [] }, 'people', { fields: fields as never });
const work = encrypting(target, {} as never);
const isLeft = (values: Parameters<typeof work.isLeft>[0]): boolean => work.isLeft(values);

const { eaas, index } = await createClient();
const records = fields.for(eaas, { index });
const row = { id: '1', name: 'Ada', born: '1815', note: 'a note' };
const { id: _, ...done } = await records.encryptRow('people', '1', row);

test('the row has its values as ciphertexts, and their fingerprint', () => {
  expect(done).toHaveProperty('born_and_name_index', expect.stringMatching(/^[\da-f]{64}$/));
});

test.each<[string, object]>([
  ['all values are ciphertexts, with their fingerprint', {}],
  ['a value and its fingerprint are null', { born: null, born_and_name_index: null }],
  [
    'the other value of the index is null, so that it has no fingerprint',
    { name: null, born_and_name_index: null },
  ],
  ['all values are null', { name: null, born: null, note: null, born_and_name_index: null }],
])('nothing is left if %s', (_, values) => {
  expect(isLeft({ ...done, ...values })).toBe(false);
});

test.each<[string, object]>([
  ['a value is plaintext', { note: 'a note' }],
  ['a value is an empty text', { note: '' }],
  ['one of two values of an index is plaintext', { name: 'Ada' }],
  ['both values of an index are there, and no fingerprint', { born_and_name_index: null }],
  [
    'both values of an index are plaintext, and no fingerprint',
    { name: 'Ada', born: '1815', born_and_name_index: null },
  ],
])('a row is left if %s', (_, values) => {
  expect(isLeft({ ...done, ...values })).toBe(true);
});
