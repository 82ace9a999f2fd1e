import { expect, it } from 'vitest';
import { Refusal } from '../refusal.ts';
import { keyId } from './reference/samples.ts';
import { listen } from './testing/listen.ts';
import { memoryDoors } from './testing/memory-doors.ts';

const hash = 'a'.repeat(64);
const hashes = ({ items }: { items: { value: string }[] }) => ({
  results: items.map(({ value }) =>
    value === 'refused' ? new Refusal('not_found', 'No such key.') : { hash, key_id: keyId },
  ),
});
const served = () => listen(memoryDoors({}, { 'POST /v1/batch/hash': hashes }));
const results = async (response: Response) => {
  expect(response.status).toBe(200);
  return ((await response.json()) as { results: { error?: { detail: string }; reference?: string }[] })
    .results;
};

it('answers malformed items in their places, and the others with their references', async () => {
  const { post, doors } = await served();
  const answer = await results(
    await post(
      '/v1/batch/hash',
      `{"items": [{"key_id": "${keyId}", "value": "1", "reference": "first"},
        {"key_id": "${keyId}", "reference": "second"}, 7, null, {"key_id": "x", "value": "\\ud800"},
        {"key_id": "x", "value": "2", "extra": 1}, {"key_id": "x", "value": "2", "reference": ${JSON.stringify('y'.repeat(129))}},
        {"key_id": "x", "value": "refused", "reference": "é"}, {"key_id": "x", "value": "3"}]}`,
    ),
  );
  expect(doors.calls[0]?.input).toEqual({
    items: [
      { key_id: keyId, value: '1', reference: 'first' },
      { key_id: 'x', value: 'refused', reference: 'é' },
      { key_id: 'x', value: '3' },
    ],
  });
  expect(answer.map((one) => [one.error?.detail, one.reference])).toEqual([
    [undefined, 'first'],
    ['`value` is missing.', 'second'],
    ['The item must be an object.', undefined],
    ['The item must be an object.', undefined],
    ['A text has a lone surrogate: it is not valid Unicode.', undefined],
    ['Unknown field `extra`.', undefined],
    ['`reference` has more than 128 bytes.', undefined],
    ['No such key.', 'é'],
    [undefined, undefined],
  ]);
});

it('runs a batch without a well-formed item too: whether the caller may still call is asked there', async () => {
  const { post, doors } = await served();
  expect(await results(await post('/v1/batch/hash', { items: [{}] }))).toHaveLength(1);
  expect(doors.calls.map(({ input }) => input)).toEqual([{ items: [] }]);
});

it('takes 1,000 items and not one more', async () => {
  const { post } = await served();
  const items = Array.from({ length: 1_000 }, (_, i) => ({ key_id: keyId, value: String(i) }));
  expect(await results(await post('/v1/batch/hash', { items }))).toHaveLength(1_000);
  expect((await post('/v1/batch/hash', { items: [...items, {}] })).status).toBe(400);
});

it.each([
  ['{"items": []}', '1 to 1000 items.'],
  ['{"items": {}}', '`items` must be a list.'],
  ['{}', '`items` is missing.'],
  ['{"items": [{}], "more": 1}', 'Unknown field `more`.'],
  ['{"items": [}', 'The body is not valid JSON.'],
])('%s fails as a whole', async (body, detail) => {
  const { post } = await served();
  const response = await post('/v1/batch/hash', body);
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { detail: expect.stringContaining(detail) as string },
  ]);
});

it('is 500 when an operation loses an item', async () => {
  const { post } = await listen(memoryDoors({}, { 'POST /v1/batch/hash': { results: [] } }));
  expect((await post('/v1/batch/hash', { items: [{ key_id: keyId, value: '' }] })).status).toBe(500);
});
