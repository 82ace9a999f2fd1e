import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { type Field, field, part, type PartIndex } from './fields.ts';
import type { RangeIndex } from './range-rules.ts';

const exact = { normalize: [] } as const;

const texts = fc.string({
  unit: fc.constantFrom('a', 'b', 'B', 'é', 'e', '1', ' ', '-', '🦉'),
  maxLength: 8,
});
const similar = fc.tuple(texts, texts, texts).map(([a, b, c]): [string, string] => [a + b, a + c]);

test.each<[string, PartIndex<string, string, boolean, true>, (text: string) => string[]]>([
  ['wholeText', part.wholeText(exact), (text) => (text ? [text] : [])],
  ['firstCharacters', part.firstCharacters(2, exact), (text) => (/^.{2}/u.exec(text) ?? []).slice(0, 1)],
  ['lastCharacters', part.lastCharacters(2, exact), (text) => (/.{2}$/u.exec(text) ?? []).slice(0, 1)],
  ['words', part.words(exact), (text) => text.split(/[ 🦉-]+/u).filter(Boolean)],
  [
    'prefixes',
    part.prefixes(2, 3, exact),
    (text) => [/^.{2}/u, /^.{3}/u].flatMap((start) => (start.exec(text) ?? []).slice(0, 1)),
  ],
])('%s finds a text by itself, and two texts by equal parts', async (_, rule, partsOf) => {
  const { type } = field.text();
  const madeOf = (value: string) => new Set(rule.partsOf({ name: 'f', type, value }));
  fc.assert(
    fc.property(similar, ([a, b]) => {
      const [madeA, madeB] = [madeOf(a), madeOf(b)];
      const sought = madeA.size > 0 ? rule.soughtBy(a) : [];
      expect(sought.length > 0).toBe(madeA.size > 0);
      expect(sought.filter((part) => !madeA.has(part))).toEqual([]);
      const [partsA, partsB] = [new Set(partsOf(a)), new Set(partsOf(b))];
      expect(madeA.size).toBe(partsA.size);
      expect([...madeA].filter((part) => madeB.has(part)).length).toBe(
        [...partsA].filter((part) => partsB.has(part)).length,
      );
    }),
    { numRuns: runs(200) },
  );
});

test.each<[string, string, boolean]>([
  ['Ada', 'ADA', true],
  ['ÀÉÎÕÜ ç', ' aeiou  C', true],
  ['ﬁne', 'Fine', true],
  ['한국', '한곡', false],
  ['กิน', 'กน', false], // `accents` keeps Thai vowel signs, because they are letters.
])('by default %j and %j have equal fingerprints: %j', async (a, b, areEqual) => {
  const rule = part.wholeText();
  const { type } = field.text();
  const [one, other] = [a, b].map((value) => rule.partsOf({ name: 'f', type, value })[0]);
  expect(one === other).toBe(areEqual);
});

function testRange<Value>(
  name: string,
  index: RangeIndex<Value, true>,
  { type }: Field<Value>,
  values: fc.Arbitrary<Value>,
  spans: Value[][],
) {
  const bucketOf = (value: Value) => index.partsOf({ name: 'f', type, value })[0];
  test(`a search by ${name} finds every value of the range`, () => {
    fc.assert(
      fc.property(fc.tuple(values, values, values), (given) => {
        const [from, value, to] = given.toSorted((a, b) => (a < b ? -1 : Number(a > b))) as typeof given;
        const sought = index.soughtBy({ from, to });
        expect(new Set(sought).size).toBe(sought.length);
        expect(sought).toContain(bucketOf(value));
        expect([sought[0], sought.at(-1)]).toEqual([bucketOf(from), bucketOf(to)]);
      }),
    );
  });
  test(`with the index ${name}, a new bucket begins exactly at the expected value`, () => {
    for (const [first, last, next] of spans) {
      expect(bucketOf(first as Value)).toEqual(bucketOf(last as Value));
      expect(bucketOf(next as Value)).not.toEqual(bucketOf(last as Value));
    }
  });
}

const dates = (min: string, max: string) =>
  fc.date({ noInvalidDate: true, min: new Date(min), max: new Date(max) });
const at = (...times: string[]) => times.map((time) => new Date(time));
testRange('years', part.years(), field.date(), dates('1690-01-01', '2500-01-01'), [
  at('1999-01-01', '1999-12-31T23:59:59.999Z', '2000-01-01'),
]);
testRange('months', part.months(), field.date(), dates('1930-01-01', '2010-01-01'), [
  at('2024-02-01', '2024-02-29T23:59:59.999Z', '2024-03-01'),
]);
testRange('days', part.days(), field.date(), dates('1969-01-01', '1971-06-01'), [
  at('1969-12-31', '1969-12-31T23:59:59.999Z', '1970-01-01'),
]);
const small = fc.double({ noNaN: true, min: -500, max: 500 });
testRange('steps of 10', part.steps(10), field.number(), small, [
  [0, 9.99, 10],
  [-10, -0.5, 0],
  [-0, 0, 10],
]);
testRange('steps of 10n', part.steps(10n), field.bigint(), fc.bigInt({ min: -4_000n, max: 4_000n }), [
  [0n, 9n, 10n],
  [-10n, -1n, 0n],
]);
testRange(
  'steps of 7 beyond 2^53',
  part.steps(7),
  field.number(),
  fc.integer({ min: 0, max: 400 }).map((n) => 2 ** 56 + n * 16),
  [[2 ** 60, 2 ** 60, 2 ** 61]],
);
