import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/sdk/testing';
import type { ProgramScene } from './administration-cases.ts';
import type { Case } from './case.ts';
import { refused, same } from './expect.ts';

/** The service in memory, for the unit tests of apps: they run in these runtimes too. */
export const testingCases: readonly Case<ProgramScene>[] = [
  {
    name: 'the service in memory answers, and fails when it is told to',
    run: async () => {
      const service = createTestService();
      const { baseUrl, apiKey, fetch } = service;
      const { key_id: keyId } = service.createKey('main');
      const client = new EaasClient({ baseUrl, apiKey, keyId, fetch, retries: 0 });
      same(await client.decryptText(await client.encrypt('a secret')), 'a secret', 'the text');
      service.failNext('unavailable');
      await refused(() => client.hash('a secret'), 'unavailable');
      same((await client.hash('a secret')).length, 64, 'the length of a fingerprint');
      await client.close();
    },
  },
];
