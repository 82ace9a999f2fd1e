import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { observedClient } from '../../test/observed-client.ts';
import { createIndexKey, defineFields, field, part, unencrypted } from './fields.ts';
import type { DateBounds } from './date-range.ts';
import { dateType } from './value-types.ts';

const at = (text: string) => new Date(`${text}Z`);
const day = (text: string) => at(`${text}T00:00`);
const partsOf = (index: ReturnType<typeof part.dateRange>, value: Date) =>
  index.partsOf({ name: 'born', type: dateType, value }).map(String);
const index = part.dateRange({ earliest: 1990, latest: 2020 });
const soughtBy = (bounds: DateBounds) => index.soughtBy(bounds).map(String);

test.each<[string, DateBounds, string[]]>([
  [
    'months, years and months',
    { from: day('1999-12-24'), to: day('2002-01-02') },
    ['month 23999', 'year 2000', 'year 2001', 'month 24024'],
  ],
  ['an open end', { from: day('2019-12-24') }, ['after', 'month 24239', 'year 2020']],
  ['an open beginning', { to: day('1991-01-01') }, ['before', 'year 1990', 'month 23892']],
])('a search for %s names whole years, and months at the ends', (_, bounds, expected) => {
  expect(soughtBy(bounds)).toEqual(expected);
});

test('a search finds every matching date, and no other if the bounds are whole months', () => {
  const date = fc.date({ min: day('1985-01-01'), max: day('2025-01-01'), noInvalidDate: true });
  const start = fc
    .tuple(fc.integer({ min: 1985, max: 2025 }), fc.nat(11))
    .map(([y, m]) => new Date(Date.UTC(y, m)));
  const end = start.map((month) => new Date(month.getTime() - 1));
  const optional = (bound: fc.Arbitrary<Date>) => fc.option(fc.oneof(bound, date), { nil: undefined });
  fc.assert(
    fc.property(optional(start), optional(end), fc.array(date, { maxLength: 20 }), (from, to, values) => {
      fc.pre((from ?? to) !== undefined && !(from && to && from > to));
      const bounds = { from, to } as DateBounds;
      const sought = soughtBy(bounds);
      const near = [from, to].flatMap((bound) =>
        bound ? [-1, 0, 1].map((ms) => new Date(bound.getTime() + ms)) : [],
      );
      for (const value of [...values, ...near]) {
        const isFound = partsOf(index, value).some((part) => sought.includes(part));
        const isMatch = (!from || value >= from) && (!to || value <= to);
        expect(index.comparison?.accepts(value, bounds)).toBe(isMatch);
        const isExpected = index.comparison?.isWhole(bounds) ? isMatch : isMatch || isFound;
        expect(isFound).toBe(isExpected);
      }
    }),
    { numRuns: runs(1_000) },
  );
});

test('the widest index stays below the limit of buckets', () => {
  const widest = part.dateRange({ earliest: 1200, latest: 2099 });
  expect(widest.soughtBy({ from: day('1200-02-01'), to: day('2099-11-01') }).length).toBeLessThan(1_000);
  expect(() => part.dateRange({ earliest: 1200, latest: 2100 })).toThrow('to 900 years later');
  expect(() => part.dateRange({ earliest: 2000, latest: 1999 })).toThrow('from `earliest`');
  expect(() => part.dateRange({ earliest: 1.5 })).toThrow('an integer');
});

test.each([
  ['a Date', new Date(0), 'takes { from }, { to } or both (got a Date)'],
  ['no bound', {}, 'got neither'],
  ['bounds in the wrong order', { from: new Date(1), to: new Date(0) }, 'must not be greater than'],
])('a search by %s is refused', (_, query, message) => {
  expect(() => index.soughtBy(query as DateBounds)).toThrow(message);
});

const fields = defineFields({
  patients: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    name: field
      .text()
      .searchable({ normalize: ['lowercase'] })
      .searchableBy({ words: part.words() }),
    born: field.date().searchableBy({ range: part.dateRange() }),
  },
});

test('`onlyMatching` compares whole values after normalization and ranges, and refuses other parts', async () => {
  const { client } = await observedClient();
  const records = fields.for(client, { index: await createIndexKey(client) });
  const dates = ['2006-03-01', '2006-03-15', '2006-03-31'];
  const rows = dates.map((text, id) => ({ id, name: `Ada ${id}`, born: day(text) }));
  const withNull = [...rows, { id: 9, name: null, born: null }];
  const matching = (query: object) => records.onlyMatching('patients', withNull, query);
  const range = { to: day('2006-03-15') };
  expect(matching({ born: { range } })).toEqual(rows.slice(0, 2));
  expect(matching({ name: 'ADA 1' })).toEqual([rows[1]]);
  expect(matching({ name: 'ada 2', born: { range } })).toEqual([]);
  expect(() => matching({ name: { words: 'ada' } })).toThrow(
    'patients.name: the index `words` cannot compare: filter the decrypted rows yourself',
  );
  expect(() => matching({})).toThrow('at least one field');
  const wrong = { from: day('2020-01-01'), to: day('2019-01-01') };
  expect(() => matching({ born: { range: wrong } })).toThrow('must not be greater');
});
