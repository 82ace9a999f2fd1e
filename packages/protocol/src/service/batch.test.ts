import { describe, expect, test } from 'vitest';
import { limits } from '../wire/limits.ts';
import { endpoints } from '../wire/endpoints.ts';
import { finish } from '../steps.ts';
import { itemReader, orRefusal, ruleEach, runBatch } from './batch.ts';
import { checkBody, parseBody } from './request.ts';
import { Refusal } from './refusal.ts';

const keyId = '00000000-0000-4000-8000-000000000002';
const hash = 'a'.repeat(64);

async function run(sent: readonly unknown[]) {
  const seen: object[][] = [];
  const bytes = new TextEncoder().encode(JSON.stringify({ items: sent }));
  const { items } = finish(parseBody(endpoints['POST /v1/batch/hash'], bytes)) as { items: unknown[] };
  const { results } = await runBatch(
    items,
    finish(ruleEach(items, itemReader('POST /v1/batch/hash'))),
    async (inputs) => {
      seen.push(inputs);
      return inputs.map(({ key_id }) =>
        key_id === 'refused' ? new Refusal('not_found', 'Refused.') : { hash, key_id },
      );
    },
  );
  const shown = results.map((one) => ['error' in one ? one.error.detail : one.hash, one.reference]);
  return { seen, shown };
}

test('a refused batch item keeps its position and does not fail other items', async () => {
  const { seen, shown } = await run([
    { key_id: keyId, value: '1', reference: 'first' },
    { key_id: keyId, reference: 'second' },
    7,
    null,
    { key_id: 'x', value: '\ud800', reference: 'third' },
    { key_id: 'x', value: '1', more: Array.from({ length: 10_001 }, () => 0) },
    { key_id: 'x', value: '2', extra: 1 },
    { key_id: 'x', value: '2', reference: 'y'.repeat(limits.reference + 1) },
    { key_id: 'x', reference: 'y'.repeat(limits.reference) },
    { key_id: 'x', value: '2', reference: '\ud800' },
    { key_id: 'refused', value: '2', reference: 'é' },
    { key_id: 'x', value: '3' },
  ]);
  expect(seen).toEqual([
    [
      { key_id: keyId, value: '1', reference: 'first' },
      { key_id: 'refused', value: '2', reference: 'é' },
      { key_id: 'x', value: '3' },
    ],
  ]);
  expect(shown).toEqual([
    [hash, 'first'],
    ['`value` is missing.', 'second'],
    ['The item must be an object.', undefined],
    ['The item must be an object.', undefined],
    ['A string has a lone surrogate: it is not valid Unicode.', 'third'],
    ['The item has a list or an object with more than 10000 members.', undefined],
    ['Unknown field `extra`.', undefined],
    ['`reference` has more than 128 bytes.', undefined],
    ['`value` is missing.', 'y'.repeat(limits.reference)],
    ['A string has a lone surrogate: it is not valid Unicode.', undefined],
    ['Refused.', 'é'],
    [hash, undefined],
  ]);
});

test('if every item of a batch is refused, the operation is called with an empty list', async () => {
  expect(await run([{}])).toEqual({ seen: [[]], shown: [['`value` is missing.', undefined]] });
});

test('a batch fails if the operation returns too few results', async () => {
  await expect(runBatch([1, 2], [1, 2], async () => [{}])).rejects.toThrow(
    'a batch must return one result per item: expected 2 results (got 1)',
  );
});

describe('bodies that fail the whole batch', () => {
  const check = (body: unknown) => orRefusal(() => checkBody(endpoints['POST /v1/batch/hash'], body));

  test.each([
    ['no item', { items: [] }, '`items` must have 1 to 1000 items.'],
    [
      'too many',
      { items: Array.from({ length: limits.batchItems + 1 }) },
      '`items` must have 1 to 1000 items.',
    ],
    ['an object', { items: {} }, '`items` must be a list.'],
    ['no list', {}, '`items` is missing.'],
    ['an unknown field', { items: [{}], more: 1 }, 'Unknown field `more`.'],
  ])('a batch body with %s is refused', (_, body, detail) => {
    expect(check(body)).toMatchObject({ code: 'bad_request', message: detail });
  });

  test('a malformed item does not fail the whole batch', () => {
    const items = Array.from({ length: limits.batchItems }, () => '\ud800');
    expect(check({ items })).toEqual({ items });
  });
});
