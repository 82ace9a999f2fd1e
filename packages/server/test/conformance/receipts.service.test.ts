// A receipt names the audit entry of a call: `Eaas-Entry` for a single call, `entry` for an item of a batch.
import { describe, expect, test } from 'vitest';
import type { Answer } from '@eaas/test-kit/api';
import { canWrite } from '@eaas/protocol/internal-service';
import { endpoints } from '@eaas/protocol/wire';
import { call, materialFor, routes } from '@eaas/test-kit/calls';
import {
  expectNothingRecorded,
  newDek,
  newestEntry,
  newTenant,
  ok,
  unknownId,
  wrapped,
} from '@eaas/test-kit/fixture';

const tenant = await newTenant();
const key = await tenant.newKey();
const entryOf = ({ headers }: Answer) => headers.get('eaas-entry');

test.for(routes)('%s: the receipt names the newest entry if the call has written one', async (route) => {
  const material = await materialFor(tenant, route);
  const before = await tenant.auditTotal();
  const answer = await call(tenant.api, route, material);
  const { id, hash } = await newestEntry(tenant);
  const isSingle = !route.startsWith('POST /v1/batch/');
  expect(entryOf(answer)).toBe(id > before && isSingle ? `${id} ${hash}` : null);
  const writesNothing = /^GET |hash|show$/.test(route);
  expect(id).toBe(before + Number(!writesNothing));
  expect(canWrite(route, endpoints[route])).toBe(!writesNothing);
});

describe('refusals', () => {
  test('a refusal that the audit log has names its entry', async () => {
    const altered = await wrapped(tenant.api, key.key_id, { a: '1' });
    const answer = await tenant.api.post(`/v1/keys/${key.key_id}/unwrap`, { wrapped_key: altered });
    expect(answer).toBeProblem('wrapped_key_unauthentic');
    const { id, hash, metadata } = await newestEntry(tenant);
    expect(metadata).toMatchObject({ outcome: 'refused' });
    expect(entryOf(answer)).toBe(`${id} ${hash}`);
  });

  test('a refusal without an entry has no receipt', async () => {
    await expectNothingRecorded(tenant, async () => {
      expect(entryOf(await tenant.api.post(`/v1/keys/${unknownId()}/wrap`, { dek: newDek() }))).toBeNull();
      expect(entryOf(await tenant.api.post(`/v1/keys/${key.key_id}/wrap`, { dek: 5 }))).toBeNull();
    });
  });
});

test('an erasure that is sent again has no receipt, and the entry of the first one', async () => {
  const erase = () => tenant.api.post('/v1/subjects/erase', { subject: 'ann', create: true });
  const [first, again] = [await erase(), await erase()];
  const { entry } = ok(first);
  expect(entryOf(first)).toBe(`${entry.id} ${entry.hash}`);
  expect([entryOf(again), ok(again).entry]).toStrictEqual([null, entry]);
});

test('each item of a batch has the receipt of its entry, and none if it has no entry', async () => {
  const context = { row: '1' };
  const item = { key_id: key.key_id, wrapped_key: await wrapped(tenant.api, key.key_id, context), context };
  const items = [item, { ...item, key_id: unknownId() }, { ...item, context: { row: '2' } }, 42, item];
  const { results } = ok(await tenant.api.post('/v1/batch/unwrap', { items }));
  const entries = (await tenant.entries('limit=3')).toReversed();
  const outcomes = entries.map(({ metadata }) => metadata['outcome']);
  expect(outcomes).toStrictEqual([undefined, 'refused', undefined]);
  const [opened, refused, last] = entries.map(({ id, hash }) => ({ id, hash }));
  const receipts = results.map((result) => ('entry' in result ? result.entry : undefined));
  expect(receipts).toStrictEqual([opened, undefined, refused, undefined, last]);
});
