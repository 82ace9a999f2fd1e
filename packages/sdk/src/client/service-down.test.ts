import { createTestService } from '@eaas/local';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EaasClient } from '../index.ts';
import { createIndexKey, defineFields, field } from '../fields/fields.ts';

const fields = defineFields({ users: { email: field.text().searchable() } });

async function whileDown() {
  const service = createTestService();
  const { key_id: keyId } = service.createKey('customers');
  let isDown = false;
  const fetch: typeof globalThis.fetch = async (...args) => {
    if (isDown) throw new TypeError('fetch failed');
    return service.fetch(...args);
  };
  const make = () => new EaasClient({ ...service, keyId, fetch, retries: 0 });
  const client = make();
  onTestFinished(() => client.close());
  const records = fields.for(client, { index: await createIndexKey(client) });
  const [stored, unread] = [await client.encrypt('ada'), await client.encrypt('joan', { fresh: true })];
  await client.decrypt(stored);
  const { email_index } = await records.where('users', { email: 'ada@example.com' });
  isDown = true;
  // The client `late` starts while the service is down.
  return { client, late: make(), records, stored, unread, email_index };
}

const failure = expect.objectContaining({ code: 'network', retryable: true }) as Error;

test('while the service is down, a call succeeds only with a data key or an index key that is in memory', async () => {
  const { client, late, records, stored, unread, email_index } = await whileDown();
  expect(await client.decrypt(stored, { as: 'text' })).toBe('ada');
  expect(await client.decrypt(await client.encrypt('grace'), { as: 'text' })).toBe('grace');
  expect(await records.where('users', { email: 'ada@example.com' })).toEqual({ email_index });
  for (const call of [
    () => client.decrypt(unread),
    () => client.encrypt('x', { fresh: true }),
    () => client.hash('ada@example.com'),
    () => fields.for(client, { index: 'service' }).where('users', { email: 'ada@example.com' }),
    () => client.usage(),
    () => late.encrypt('x'),
    () => late.decrypt(stored),
  ])
    await expect(call()).rejects.toEqual(failure);
});

test('while the service is down, cached data keys encrypt and decrypt for 5 minutes, and then calls fail', async () => {
  const { client, stored } = await whileDown();
  const start = Date.now();
  const clock = vi.spyOn(Date, 'now');
  onTestFinished(() => clock.mockRestore());
  clock.mockReturnValue(start + 5 * 60_000 - 1_000);
  expect(await client.decrypt(stored, { as: 'text' })).toBe('ada');
  await client.encrypt('x');
  clock.mockReturnValue(start + 5 * 60_000);
  await expect(client.decrypt(stored)).rejects.toEqual(failure);
  await expect(client.encrypt('x')).rejects.toEqual(failure);
});
