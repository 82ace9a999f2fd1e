import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { beforeEach, expect, test } from 'vitest';
import { findOwnKey, keyName, unusableOf } from './own-key.ts';

let client: EaasClient;
beforeEach(() => {
  client = new EaasClient({ ...createTestService() });
});

test('the playground finds only its own key, whatever key is newest', async () => {
  await client.keys.create({ name: 'playground' });
  expect(await findOwnKey(client)).toEqual({ key: undefined });
  const { key_id } = await client.keys.create({ name: keyName });
  await client.keys.create({ name: 'production' });
  expect(await findOwnKey(client)).toMatchObject({ key: { key_id } });
});

test('a destroyed key is not found, so the playground can create another one', async () => {
  const { key_id } = await client.keys.create({ name: keyName });
  await client.keys.disable(key_id);
  await client.keys.destroy(key_id, { grace_days: 0 });
  expect(await findOwnKey(client)).toEqual({ key: undefined });
});

test('a key that has the name of the playground’s but is disabled or of another kind is not used', async () => {
  const other = await client.keys.create({ name: keyName, intake: true });
  expect(unusableOf(await findOwnKey(client))).toMatchObject({ key_id: other.key_id });
  await client.keys.disable(other.key_id);
  await client.keys.destroy(other.key_id, { grace_days: 0 });
  const { key_id } = await client.keys.create({ name: keyName });
  expect(unusableOf(await findOwnKey(client))).toBeUndefined();
  await client.keys.disable(key_id);
  expect(unusableOf(await findOwnKey(client))).toMatchObject({ key_id, status: 'disabled' });
});
