import { randomBytes } from 'node:crypto';
import { wipedBy } from '@eaas/test-kit/wiped-by';
import { afterAll, expect, test, vi } from 'vitest';
import { openTenant } from '../../test/open-tenant.ts';
import { people } from '../plugins/people/index.ts';

vi.useFakeTimers();
afterAll(() => void vi.useRealTimers());

const { call } = await openTenant({}, () => [people()]);
const { key_id } = await call('POST /v1/keys', { name: 'key' });
const plaintext = 'secret';
const one = { key_id, dek: randomBytes(32).toString('base64') };
const { wrapped_key } = await call('POST /v1/keys/:key_id/wrap', one);
const bundle = await call('POST /v1/encrypt', { key_id, plaintext });
const item = { key_id, wrapped_key };

test.each<[string, () => unknown, number[]]>([
  ['wrap', () => call('POST /v1/keys/:key_id/wrap', one), [2, 0]],
  ['unwrap', () => call('POST /v1/keys/:key_id/unwrap', item), [1, 0]],
  ['a batch', () => call('POST /v1/batch/unwrap', { items: [item, item] }), [2, 0]],
  ['encrypt', () => call('POST /v1/encrypt', { key_id, plaintext }), [0, 1]],
  ['decrypt', () => call('POST /v1/decrypt', bundle), [0, 1]],
])('%s wipes each copy of its data key and value', async (_, work, counts) => {
  const wiped = (await wipedBy(work)).map((it) => it.toString('base64'));
  const secrets = [one.dek, Buffer.from(plaintext).toString('base64')];
  expect(secrets.map((secret) => wiped.filter((each) => each === secret).length)).toEqual(counts);
});

/** What was wiped of the memory of sealers. */
const sealers = async (work: () => unknown) => (await wipedBy(work)).filter(({ length }) => length === 204);

test('the memory of a sealer for a person is wiped with the call', async () => {
  const ofPerson = { ...one, subject: '42' };
  await call('POST /v1/keys/:key_id/wrap', ofPerson);
  expect(await sealers(() => call('POST /v1/keys/:key_id/wrap', ofPerson))).toHaveLength(1);
});

test('the memory of a sealer is wiped when its secret is forgotten, and calls after that still open', async () => {
  expect(await sealers(() => call('POST /v1/keys/:key_id/unwrap', item))).toHaveLength(0);
  expect(await sealers(() => vi.advanceTimersByTime(600_000))).toHaveLength(1);
  expect(await call('POST /v1/keys/:key_id/unwrap', item)).toMatchObject({ dek: one.dek });
});
