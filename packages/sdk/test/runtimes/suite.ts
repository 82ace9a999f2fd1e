import { createTestService, createLocalService } from '@eaas/local';
import type { Engine } from '@eaas/protocol';
import { EaasClient } from '@eaas/sdk';
import { type CaseResult, type Cases, runCases, type Settings } from '@eaas/test-kit/runtimes/case';
import { refused, same } from './expect.ts';
import { enginesEverywhere, sharedCases } from './shared-cases.ts';

export const programCases = (engines: readonly string[]): Cases => ({
  ...sharedCases(engines),
  'the in-memory service responds, and returns errors that a test asks for': async () => {
    const service = createTestService();
    const client = new EaasClient({
      ...service,
      keyId: (await service.createKey('main')).key_id,
      retries: 0,
    });
    same(await client.decrypt(await client.encrypt('a secret'), { as: 'text' }), 'a secret', 'the text');
    service.failNext('unavailable');
    await refused(() => client.hash('a secret'), 'unavailable');
  },
  'locked keys open by what a key service answers, also if its first question never ends': async (scene) => {
    const { text: sealed = '', opened = '', key } = scene.vectors.locked.cases[0] ?? {};
    const answer = Uint8Array.from(atob(opened), (one) => one.charCodeAt(0));
    let asked = 0;
    const open = () => (asked++ === 0 ? new Promise<never>(() => {}) : Promise.resolve(answer));
    const client = new EaasClient({ service: createLocalService({ sealed, open }) });
    same(
      [(await client.encrypt('a secret', { as: 'bundle' })).key_id, asked],
      [key, 2],
      'the key, and the questions',
    );
  },
});

export async function run(settings: Settings, more: readonly Engine[]): Promise<CaseResult[]> {
  const { baseUrl, apiKey = '', keyId } = settings;
  const engines = [...enginesEverywhere, ...more];
  return runCases(programCases(engines.map(({ name }) => name)), {
    ...settings,
    engines,
    connect: (options = {}) => new EaasClient({ baseUrl, apiKey, keyId, ...options }),
  });
}
