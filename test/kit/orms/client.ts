import { EaasClient } from '@eaas/sdk';
import { createIndexKey } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';

/** A client of a service in memory with one key, and an index key. `make` makes another such client. */
export async function createClient() {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey('samples');
  const { baseUrl, apiKey, fetch } = service;
  const make = () => new EaasClient({ baseUrl, apiKey, keyId, fetch });
  const eaas = make();
  return { eaas, make, index: await createIndexKey(eaas), service, keyId };
}
