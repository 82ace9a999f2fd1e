// Secrets that pass through the SDK: each buffer that held one is zero after the call.
import { createTestService } from '@eaas/local';
import { afterEach, expect, test, vi } from 'vitest';
import { observedClient } from '../test/observed-client.ts';
import { createIndexKey, defineFields, field } from './fields/fields.ts';
import { EaasClient } from './index.ts';
import { createIntake } from './intake/intake.ts';

afterEach(() => void vi.restoreAllMocks());

const fields = defineFields({ people: { email: field.text().searchable() } });
const left = (secrets: readonly Uint8Array[]) => secrets.filter((secret) => secret.some(Boolean));

/** A client whose `wrap` and `unwrap` keep the buffers of secrets, as whoever dumps the memory would find them. */
async function keepingClient() {
  const { client } = await observedClient();
  const secrets: Uint8Array[] = [];
  const keep = <Secret extends Uint8Array>(secret: Secret): Secret => {
    expect(secret.some(Boolean)).toBe(true);
    secrets.push(secret);
    return secret;
  };
  const keeping = Object.assign(Object.create(client) as EaasClient, {
    wrap: (dek: Uint8Array, ...more: []) => client.wrap(keep(dek), ...more),
    unwrap: async (...asked: Parameters<EaasClient['unwrap']>) => keep(await client.unwrap(...asked)),
  });
  return { client, keeping, secrets };
}

test('a new index key', async () => {
  const { keeping, secrets } = await keepingClient();
  await createIndexKey(keeping);
  expect([secrets.length, left(secrets)]).toEqual([1, []]);
});

test('an index key that is opened for fingerprints', async () => {
  const { client, keeping, secrets } = await keepingClient();
  const records = fields.for(keeping, { index: await createIndexKey(client) });
  await records.where('people', { email: 'ada@example.com' });
  await records.encryptRow('people', '1', { email: 'ada@example.com' });
  expect([secrets.length, left(secrets)]).toEqual([1, []]);
});

test('an index key that the service did not wrap', async () => {
  const { client, keeping, secrets } = await keepingClient();
  vi.spyOn(client, 'wrap').mockRejectedValue(new Error('down'));
  await expect(createIndexKey(keeping)).rejects.toThrow('down');
  expect([secrets.length, left(secrets)]).toEqual([1, []]);
});

test('a data key of a writer without credentials', async () => {
  const service = createTestService();
  const { key_id } = await service.createKey('contact', { intake: true });
  const { intake_public_key } = await new EaasClient({ ...service }).publicKey(key_id);
  const intake = createIntake({ publicKey: String(intake_public_key) });
  const drawn: Uint8Array[] = [];
  const real = crypto.getRandomValues.bind(crypto);
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    const bytes = real(array as Uint8Array<ArrayBuffer>);
    if (bytes.length === 32) drawn.push(bytes);
    return array;
  });
  await intake.encrypt('hello', { context: {} });
  // The data key is drawn before all that wraps it.
  expect(drawn.length).toBeGreaterThan(0);
  expect(left(drawn.slice(0, 1))).toEqual([]);
});
