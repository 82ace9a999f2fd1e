import { expect, test } from 'vitest';
import { newTenant, ok } from '@eaas/test-kit/fixture';
import { aHash } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();

const hash = (value: unknown, key_id: unknown = key.key_id) => tenant.api.post('/v1/hash', { value, key_id });
const hashOf = async (value: string, key_id?: string) => ok(await hash(value, key_id)).hash;

test('the result of hash depends only on the value and the key, in each character', async () => {
  const first = ok(await hash('x'));
  expect(first).toStrictEqual({ hash: aHash, key_id: key.key_id });
  expect(ok(await hash('x', key.key_id.toUpperCase()))).toStrictEqual(first);
  const other = await hashOf('x', (await tenant.newKey()).key_id);
  const values = ['', '\u0000', ' ', 'X', 'x ', '\uFEFFx', 'x\u0000', 'é', 'e\u0301'];
  const hashes = await Promise.all(values.map((value) => hashOf(value)));
  expect(new Set([first.hash, other, ...hashes]).size).toBe(values.length + 2);
});

test('no rotation of the key and no change of its state changes the result of hash', async () => {
  const { key_id } = await tenant.newKey();
  const before = await hashOf('x', key_id);
  for (const verb of ['rotate', 'rotate', 'disable', 'enable'])
    ok(await tenant.api.post(`/v1/keys/${key_id}/${verb}`));
  expect(await hashOf('x', key_id)).toBe(before);
});

test('hash is refused immediately after the key is disabled', async () => {
  const { key_id } = await tenant.newKey();
  for (let round = 0; round < 20; round++) {
    expect(await hash('x', key_id)).toHaveStatus(200);
    ok(await tenant.api.post(`/v1/keys/${key_id}/disable`));
    expect(await hash('x', key_id)).toBeProblem('key_state');
    ok(await tenant.api.post(`/v1/keys/${key_id}/enable`));
  }
});
