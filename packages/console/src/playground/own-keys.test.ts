import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { beforeEach, expect, test } from 'vitest';
import { createMissing, findOwnKeys, formKeyName, keyName, unusableOf } from './own-keys.ts';

let client: EaasClient;
beforeEach(() => {
  client = new EaasClient({ ...createTestService() });
});

test('the playground finds only its own keys, whatever key is newest', async () => {
  await client.keys.create({ name: 'playground', intake: true });
  const missing = await findOwnKeys(client);
  expect(missing).toEqual({ key: undefined, form: undefined });
  const { key, form } = await createMissing(client, missing);
  expect([key, form]).toMatchObject([
    { name: keyName, intake: false },
    { name: formKeyName, intake: true },
  ]);
  await client.keys.create({ name: 'production' });
  expect(await findOwnKeys(client)).toMatchObject({
    key: { key_id: key.key_id },
    form: { key_id: form.key_id },
  });
  expect(await createMissing(client, { key, form })).toEqual({ key, form });
});

test('after its key was destroyed, the playground can create another one', async () => {
  const { key_id } = await client.keys.create({ name: keyName });
  await client.keys.disable({ key_id });
  await client.keys.destroy({ key_id, grace_days: 0 });
  const { key } = await createMissing(client, await findOwnKeys(client));
  expect(key.key_id).not.toBe(key_id);
  expect((await findOwnKeys(client)).key?.key_id).toBe(key.key_id);
});

test('a key that has a name of the playground but is disabled or of another kind is not used', async () => {
  const other = await client.keys.create({ name: keyName, intake: true });
  expect(unusableOf(await findOwnKeys(client))).toMatchObject({ key_id: other.key_id });
  await client.keys.disable({ key_id: other.key_id });
  await client.keys.destroy({ key_id: other.key_id, grace_days: 0 });
  await client.keys.create({ name: keyName });
  expect(unusableOf(await findOwnKeys(client))).toBeUndefined();
  const form = await client.keys.create({ name: formKeyName });
  expect(unusableOf(await findOwnKeys(client))).toMatchObject({ key_id: form.key_id });
  const { key_id } = (await findOwnKeys(client)).key ?? form;
  await client.keys.disable({ key_id });
  expect(unusableOf(await findOwnKeys(client))).toMatchObject({ key_id, status: 'disabled' });
});
