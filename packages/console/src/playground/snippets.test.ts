import { EaasClient } from '@eaas/sdk';
import { checkAudit } from '@eaas/audit';
import { createIndexKey, defineFields, field } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import { afterEach, expect, test, vi } from 'vitest';
import { snippets } from './snippets.ts';

/** Runs a snippet and a line after it, with the names that snippets use. Returns what they print. */
async function printedBy(name: keyof typeof snippets, after = ''): Promise<unknown[]> {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey('app');
  vi.stubEnv('EAAS_BASE_URL', service.baseUrl);
  vi.stubEnv('EAAS_API_KEY', service.apiKey);
  vi.stubEnv('EAAS_KEY_ID', keyId);
  vi.stubGlobal('fetch', service.fetch);
  const eaas = new EaasClient({ retries: 0 });
  const belongsTo = { context: { table: 'users', row: '42' }, subject: 'ada' };
  const ciphertext = await eaas.encrypt('ada@example.com', belongsTo);
  const of = { keyId, eaas, belongsTo, ciphertext, indexKey: await createIndexKey(eaas) };
  const printed: unknown[] = [];
  const log = (...values: unknown[]) => printed.push(...values);
  const own = { console: { log }, state: null, show: () => {} };
  const names = { EaasClient, checkAudit, defineFields, field, ...of, ...own };
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<unknown>;
  const code = snippets[name].replaceAll(/^import .*\n/gm, '');
  await new AsyncFunction(...Object.keys(names), `{ ${code}\n${after} }`)(...Object.values(names));
  return printed;
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const user = expect.stringMatching(/^[\da-f]{32}$/) as string;

test.each<[keyof typeof snippets, unknown[], string?]>([
  ['encrypt', ['ada@example.com']],
  ['search', [true], 'console.log(email_index.includes(stored.email_index));'],
  ['read', ['key.unwrap', user, 'key.wrap', null]],
  ['rotate', [true]],
  ['erase', ['subject_erased', 'grace@example.com']],
  ['audit', [expect.stringMatching(/^\d entries hold$/)]],
])('the snippet `%s` runs as shown', async (name, printed, after) => {
  expect(await printedBy(name, after)).toEqual(printed);
});
