import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { createIndexKey, defineFields, field, months, unencrypted, words } from './fields.ts';

const fields = defineFields({
  patients: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    born: field.date().searchableBy({ month: months() }),
    name: field.text().searchable().searchableBy({ words: words() }),
  },
});

test('one logged search of a range does not tell the order of its buckets', async () => {
  const { client } = observedClient();
  const records = fields.for(client, { index: await createIndexKey(client) });
  const range = { from: new Date('1946-01-01'), to: new Date('2026-11-23') };
  const { born_month_index } = await records.where('patients', { born: { month: range } });
  expect(born_month_index).toHaveLength(971);
  expect(born_month_index).toEqual(born_month_index.toSorted());
});

test('a search sends the fingerprints of several index keys, and the words of a query, in the order of their bytes', async () => {
  const { client } = observedClient();
  const keys = await Promise.all(Array.from({ length: 8 }, () => createIndexKey(client)));
  const records = fields.for(client, { index: ['service', ...keys] });
  const { name_index } = await records.where('patients', { name: 'Ada' });
  expect(name_index).toHaveLength(9);
  expect(name_index).toEqual(name_index.toSorted());
  const query = 'ada king noel byron of lovelace';
  const { name_words_index } = await records.where('patients', { name: { words: query } });
  expect(name_words_index.map((oneOf) => oneOf.length)).toEqual([8, 8, 8, 8, 8, 8]);
  for (const oneOf of name_words_index) expect(oneOf).toEqual(oneOf.toSorted());
  const firsts = name_words_index.map(([first]) => String(first));
  expect(firsts).toEqual(firsts.toSorted());
});

test('a row stores the fingerprints of its words in the order of their bytes', async () => {
  const { client } = observedClient();
  const records = fields.for(client, { index: ['service', await createIndexKey(client)] });
  const stored = await records.encryptRow('patients', 1, { name: 'ada king noel byron of lovelace' });
  const marks = stored.name_words_index?.split(' ');
  expect(marks).toHaveLength(6);
  expect(marks).toEqual(marks?.toSorted());
});
