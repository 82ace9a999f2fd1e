import { describe, expect, test } from 'vitest';
import { type Answer } from '@eaas/test-kit/api';
import {
  expectNothingRecorded,
  keyIn,
  newDek,
  newTenant,
  ok,
  unknownId,
  wrapped,
} from '@eaas/test-kit/fixture';
import { problemDocument } from '@eaas/test-kit/matchers';
import { aBase64, aHash, aReceipt } from './shapes.ts';

type Verb = 'wrap' | 'unwrap' | 'rewrap' | 'hash';
const verbs = ['wrap', 'unwrap', 'rewrap', 'hash'] as const;

const tenant = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();

const batch = (verb: Verb, items: unknown): Promise<Answer<{ results: unknown[] }>> =>
  tenant.api.post(`/v1/batch/${verb}`, { items });

async function validItem(verb: Verb, key_id = key.key_id): Promise<Record<string, unknown>> {
  if (verb === 'wrap') return { key_id, dek: newDek() };
  if (verb === 'hash') return { key_id, value: 'x' };
  return { key_id, wrapped_key: await wrapped(tenant.api, key_id) };
}

/** The result of an item, without the receipt. */
const answerOf = (verb: Verb): object =>
  ({
    wrap: { wrapped_key: aBase64, key_id: key.key_id, key_version: 1 },
    unwrap: { dek: aBase64, key_id: key.key_id, key_version: 1 },
    rewrap: { wrapped_key: aBase64, key_id: key.key_id, key_version: 1, rewrapped: false },
    hash: { hash: aHash, key_id: key.key_id },
  })[verb];

describe.for(verbs)('batch of %s', (verb) => {
  const entry = verb === 'hash' ? {} : { entry: aReceipt };

  test('each result of a batch equals the response to a single call, with its receipt', async () => {
    const item = await validItem(verb);
    const pending = await keyIn(tenant, 'pending_destruction');
    const answer = await batch(verb, [
      { ...item, reference: 'row 1' },
      { ...item, key_id: unknownId(), reference: 'row 2' },
      item,
      { ...item, key_id: pending.key_id, reference: '' },
      { ...item, key_id: key.name },
      { ...item, reference: 'é'.repeat(64) },
    ]);
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual({
      results: [
        { ...answerOf(verb), ...entry, reference: 'row 1' },
        { error: problemDocument('not_found'), reference: 'row 2' },
        { ...answerOf(verb), ...entry },
        { error: problemDocument('key_state'), ...(verb === 'unwrap' && entry), reference: '' },
        { error: problemDocument('not_found') },
        { ...answerOf(verb), ...entry, reference: 'é'.repeat(64) },
      ],
    });
  });

  test('a malformed batch item does not fail the other items', async () => {
    const item = await validItem(verb);
    const malformed: unknown[] = [
      42,
      null,
      {},
      { ...item, contxt: {} },
      { ...item, reference: 5 },
      { ...item, reference: '\uD800' },
      { ...item, reference: 'é'.repeat(65) },
    ];
    const { results } = ok(await batch(verb, [item, ...malformed, item]));
    const error = { error: problemDocument('bad_request') };
    expect(results).toMatchObject([answerOf(verb), ...malformed.map(() => error), answerOf(verb)]);
  });

  test('a batch has 1 to 1,000 items', async () => {
    const item = await validItem(verb);
    const most = Array.from({ length: 1_000 }, (_, at) => ({ ...item, reference: String(at) }));
    const { results } = ok(await batch(verb, most));
    expect(results).toStrictEqual(most.map(({ reference }) => ({ ...answerOf(verb), ...entry, reference })));
    await expectNothingRecorded(tenant, async () => {
      expect(await batch(verb, [...most, item])).toBeProblem('bad_request', /items/);
      expect(await batch(verb, [])).toBeProblem('bad_request', /items/);
    });
  });
});
