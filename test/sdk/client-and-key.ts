import { EaasClient, type EaasClientOptions } from '../../packages/sdk/src/index.ts';
import { createTestService, type TestService } from '../../packages/sdk/src/testing/testing.ts';

export interface ClientAndKey {
  readonly service: TestService;
  readonly client: EaasClient;
  /** The default key of the client. */
  readonly keyId: string;
}

/** Creates a client of a service in memory, with a new default key. */
export function clientAndKey(options: Partial<EaasClientOptions> = {}): ClientAndKey {
  const service = createTestService();
  const { key_id: keyId } = service.createKey('fields');
  const { baseUrl, apiKey, fetch } = service;
  return { service, keyId, client: new EaasClient({ baseUrl, apiKey, fetch, keyId, ...options }) };
}
