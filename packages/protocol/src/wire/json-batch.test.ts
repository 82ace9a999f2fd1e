import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { InputError } from '../errors.ts';
import { endpoints } from './endpoints.ts';
import { explain } from './explain.ts';
import { readJson } from './json.ts';

const encoder = new TextEncoder();

type Items = { item: unknown; fault: string | null }[];

class Fault {
  readonly item: unknown;
  readonly fault: string;
  constructor(item: unknown, fault: string) {
    this.item = item;
    this.fault = fault;
  }
}

function batchOf(text: string): Items {
  const body = readJson(encoder.encode(text), (item, fault) => new Fault(item, fault));
  const { success, data, error } = endpoints['POST /v1/batch/hash'].body.safeParse(body);
  if (!success) throw new InputError(explain(error, body));
  return data.items.map((item) => (item instanceof Fault ? item : { item, fault: null }));
}
const itemsOf = (...items: string[]): Items => batchOf(`{"items":[${items.join()}]}`);
const documentOf = (text: string): unknown => readJson(encoder.encode(text));

function orError<T>(work: () => T): T | 'refused' {
  try {
    return work();
  } catch (error) {
    if (error instanceof InputError) return 'refused';
    throw error;
  }
}

/** Parses the whole body, and accepts lone surrogates. */
function parseWhole(text: string): unknown {
  documentOf(text.replaceAll('\\ud', '\\ue'));
  return JSON.parse(text);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormed(member));
}

function reference(text: string): unknown {
  const body = parseWhole(text);
  if (typeof body !== 'object' || body === null || Object.keys(body).join() !== 'items') return 'refused';
  const { items } = body as { items: unknown };
  return Array.isArray(items) && items.length > 0 && items.length <= 1_000 ? (items as unknown[]) : 'refused';
}

const nearlyJson = fc
  .array(
    fc.constantFrom(
      ...Array.from('{}[],:" \n'),
      '1',
      'true',
      '"a"',
      '"a":',
      '{"b":1}',
      '"\\ud800"',
      '"\\ud83d\\udd11é"',
      '\\"',
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

const isRefused = ({ fault }: Items[number]) => fault !== null && !fault.includes('surrogate');
const shown = ({ item, fault }: Items[number]) => [item, fault === null];

describe('the body of a batch', () => {
  test('a batch has the same items as the body that JSON.parse returns, unless it is invalid as a whole', () => {
    fc.assert(
      fc.property(nearlyJson, fc.constantFrom('', ' ', '\n,'), fc.boolean(), (inner, around, wrap) => {
        const text = wrap ? `{"items"${around}:[${inner}]}${around}` : inner;
        const expected = orError(() => reference(text));
        const found = orError(() => batchOf(text));
        const whole = Array.isArray(expected)
          ? expected.map((item: unknown) => [item, isWellFormed(item)])
          : expected;
        expect(found === 'refused' || found.some(isRefused) ? 'refused' : found.map(shown)).toEqual(whole);
      }),
      { numRuns: runs(5_000) },
    );
  });

  test.each([
    ['7', 'the body must be an object'],
    ['{}', '`items` is missing'],
    ['{"items":7}', '`items` must be a list'],
    ['{"items":[ ]}', '`items` must have 1 to 1000 items'],
    ['{"more":[],"items":[1]}', 'unknown field `more`'],
    [`{"items":[1],"${'y'.repeat(99)}":1}`, `unknown field \`${'y'.repeat(64)}\``],
    ['{"items":[1]', 'the body is not valid JSON'],
    ['{"items":[1,{"a":1,"a":01}]}', 'the body is not valid JSON'],
    ['', 'the body is not valid JSON'],
  ])('the body %s is refused as a whole: %s', (text, reason) => {
    expect(() => batchOf(text)).toThrow(new InputError(reason));
  });

  test('of members with the same name the last one counts', () => {
    expect(batchOf('{"items":[1],"items":[{"a":1,"\\u0061":2}]}').map(shown)).toEqual([[{ a: 2 }, true]]);
  });

  test('a body that is not UTF-8 is refused', () => {
    const bytes = encoder.encode('{"items":["x"]}');
    bytes[11] = 0xff;
    expect(() => readJson(bytes, () => null)).toThrow('the request body must be valid UTF-8');
  });
});

describe('an item', () => {
  const many = (count: number, one: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => one(i)).join();
  const lists = (count: number) => many(count, () => `[${many(9_999, () => '0')}]`);

  test.each([
    ['too many levels', `${'['.repeat(7)}${']'.repeat(7)}`, 'the item is nested deeper than 8 levels'],
    ['many levels', `${'['.repeat(9e4)}${']'.repeat(9e4)}`, 'the item is nested deeper than 8 levels'],
    [
      'too many members',
      `[${many(10_001, () => '0')}]`,
      'the item has a list or an object with more than 10000 members',
    ],
    [
      'too many names',
      `[${many(11, (i) => `{${many(1_000, (k) => `"${i}.${k}":0`)}}`)}]`,
      'the item has more than 10000 object members in total',
    ],
    ['a lone surrogate', '{"a":"\\udc00\\ud800"}', 'a string has a lone surrogate: it is not valid Unicode'],
  ])('an item with %s does not fail the other items', (_, item, reason) => {
    const faults = itemsOf('{"a":1}', item, '{"a":"\\ud83d\\udd11"}').map(({ fault }) => fault);
    expect(faults).toEqual([null, reason, null]);
  });

  const tooDeep = `${'['.repeat(7)}${']'.repeat(7)}`;
  test.each([
    ['before the fault', `{"reference":"row 1","b":${tooDeep}}`, 'row 1'],
    ['with escapes', `{"b":${tooDeep},"\\u0072eference":"\\u00e9\\n"}`, 'é\n'],
    ['twice, of which the last counts', `{"reference":"a","b":${tooDeep},"reference":"b"}`, 'b'],
    ['that is a number', `{"b":${tooDeep},"reference":5}`, 5],
    ['only in an inner object', `{"a":{"reference":"a"},"b":${tooDeep}}`, undefined],
    ['only as a value', `{"a":"reference","b":${tooDeep}}`, undefined],
  ])('an item that exceeds a limit is passed on with a reference %s', (_, item, expected) => {
    const [before, found, after] = itemsOf('1', item, '{"reference":"other"}').map((one) => one.item);
    expect([before, Reflect.get(found as object, 'reference'), after]).toEqual([
      1,
      expected,
      { reference: 'other' },
    ]);
  });

  test.each([
    ['levels', `${'['.repeat(6)}${']'.repeat(6)}`],
    ['members', `[${many(10_000, () => '0')}]`],
    ['names', `[${many(10, (i) => `{${many(1_000, (k) => `"${i}.${k}":0`)}}`)}]`],
  ])('several items with the maximum number of %s are accepted in one batch', (_, item) => {
    expect(itemsOf(item, item, item).map(({ fault }) => fault)).toEqual([null, null, null]);
  });

  test('a batch with more than 100,000 values in all items together is refused', () => {
    const large = `[${lists(3)}]`;
    expect(itemsOf(large, large, large)).toHaveLength(3);
    const reason = 'the body has more than 100000 values';
    expect(() => itemsOf(large, large, large, large)).toThrow(reason);
    expect(() => itemsOf('['.repeat(100_001))).toThrow(reason);
    expect(() => itemsOf(`[${'0,'.repeat(100_000)}0]`)).toThrow(reason);
  });
});

describe('a body without a batch', () => {
  test('a body is refused if it has a lone surrogate, and otherwise has the value that JSON.parse returns', () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        const expected = orError(() => parseWhole(text));
        const illFormed = expected !== 'refused' && !isWellFormed(expected);
        expect(orError(() => documentOf(text))).toEqual(illFormed ? 'refused' : expected);
      }),
      { numRuns: runs(5_000) },
    );
  });

  test('a body with more than 100,000 values is refused', () => {
    const lists = (count: number) => Array.from({ length: count }, () => `[${'0,'.repeat(9_998)}0]`).join();
    expect(documentOf(`[${lists(9)},[${'0,'.repeat(9_997)}0]]`)).toHaveLength(10);
    expect(() => documentOf(`[${lists(10)}]`)).toThrow('the body has more than 100000 values');
  });
});
