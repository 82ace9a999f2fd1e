import { EaasClient } from '@eaas/sdk';
import { createIndexKey } from '@eaas/sdk/fields';
import { createTestService, type TestService } from '@eaas/local';

export async function createClient(): Promise<{ eaas: EaasClient; index: string; service: TestService }> {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey('samples');
  const { baseUrl, apiKey, fetch } = service;
  const eaas = new EaasClient({ baseUrl, apiKey, keyId, fetch });
  return { eaas, index: await createIndexKey(eaas), service };
}
