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

const monthOf = (time: Date) => time.getUTCFullYear() * 12 + time.getUTCMonth();
const startOf = (month: number) => new Date(Date.UTC(Math.floor(month / 12), month % 12));

/**
 * Guesses the month of each row from one logged search, by the place of its fingerprint in the list. Knows only that
 * the range ends this month.
 */
function guessMonths(logged: readonly string[], stored: readonly (string | null)[], last: number): number[] {
  const monthByFingerprint = new Map(logged.map((mark, at) => [mark, last - (logged.length - 1 - at)]));
  return stored.map((mark) => monthByFingerprint.get(mark ?? '') ?? Number.NaN);
}

test('one logged search of a range does not tell the order of its buckets', async () => {
  const { client } = observedClient();
  const records = fields.for(client, { index: await createIndexKey(client) });
  const today = new Date('2026-11-23');
  const [first, last] = [monthOf(new Date('1946-01-01')), monthOf(today)];
  const all = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const born = Array.from({ length: 3_000 }, (_, at) => startOf(first + ((at * 7_919) % all.length)));
  const rows = await records.encryptRows(
    'patients',
    born.map((date, id) => ({ id, born: date })),
    ({ id }) => `${id}`,
  );
  const stored = rows.map((row) => row.born_month_index);
  const accuracyOf = (logged: readonly string[]): number => {
    const guesses = guessMonths(logged, stored, last);
    return guesses.filter((guess, at) => guess === monthOf(born[at] as Date)).length / born.length;
  };

  const ordered = await Promise.all(
    all.map(async (month) => {
      const { born_month_index } = await records.where('patients', { born: { month: startOf(month) } });
      return born_month_index[0] as string;
    }),
  );
  expect(accuracyOf(ordered)).toBe(1);

  const range = { from: startOf(first), to: today };
  const { born_month_index } = await records.where('patients', { born: { month: range } });
  expect(born_month_index.toSorted()).toEqual(ordered.toSorted());
  // A random order gets about 1 of 971 months right. The probability of 10 is one in ten million.
  expect(accuracyOf(born_month_index)).toBeLessThan(0.01);
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
