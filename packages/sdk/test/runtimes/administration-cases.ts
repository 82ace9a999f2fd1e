import { type ClientOptions, EaasClient } from '@eaas/sdk';
import { checkAudit } from '@eaas/audit';
import { createTestService } from '@eaas/local';
import type { Cases, Scene } from '@eaas/test-kit/runtimes/case';
import { holds, refused, same } from './expect.ts';

export interface ProgramScene extends Scene {
  readonly connect: (options?: ClientOptions & { readonly apiKey?: string }) => EaasClient;
}

export const administrationCases: Cases<ProgramScene> = {
  'checkAudit recomputes the audit log and resumes after the last verified entry': async ({ connect }) => {
    const client = connect();
    let state: unknown;
    const checked: number[] = [];
    for (let round = 0; round < 2; round++) {
      const report = await checkAudit(client, { state });
      state = report.state;
      same(report.findings, [], 'the findings');
      checked.push(report.checked);
      await client.encrypt('a secret', { fresh: true });
    }
    holds((checked[0] ?? 0) > 2, 'the first round read little');
    same(checked[1], 1, 'what the second round read');
  },
  'the in-memory service responds, and returns errors that a test asks for': async () => {
    const service = createTestService();
    const { baseUrl, apiKey, fetch } = service;
    const { key_id: keyId } = service.createKey('main');
    const client = new EaasClient({ baseUrl, apiKey, keyId, fetch, retries: 0 });
    same(await client.decrypt(await client.encrypt('a secret'), { as: 'text' }), 'a secret', 'the text');
    service.failNext('unavailable');
    await refused(() => client.hash('a secret'), 'unavailable');
    same((await client.hash('a secret')).length, 64, 'the length of a fingerprint');
  },
};
