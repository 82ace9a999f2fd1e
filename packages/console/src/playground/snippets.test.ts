import { EaasClient } from '@eaas/sdk';
import { checkAudit } from '@eaas/audit';
import { createIndexKey, defineFields, field } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import { afterEach, expect, test, vi } from 'vitest';
import { snippets } from './snippets.ts';

type Names = Readonly<Record<string, unknown>>;

async function run(code: string, names: Names, result: string): Promise<unknown> {
  const body = `${code.replaceAll(/^import .*\n/gm, '')}\nreturn ${result};`;
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<unknown>;
  return new AsyncFunction(...Object.keys(names), body)(...Object.values(names));
}

async function stage() {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey('app');
  vi.stubEnv('EAAS_BASE_URL', service.baseUrl);
  vi.stubEnv('EAAS_API_KEY', service.apiKey);
  vi.stubEnv('EAAS_KEY_ID', keyId);
  const eaas = new EaasClient({ fetch: service.fetch, retries: 0 });
  const belongsTo = { context: { table: 'users', row: '42' }, subject: 'ada' };
  const { ciphertext } = await eaas.encrypt('ada@example.com', belongsTo);
  const printed: unknown[] = [];
  const console = { log: (...values: unknown[]) => printed.push(...values) };
  return { keyId, eaas, belongsTo, ciphertext, console, printed, fetch: service.fetch };
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test('the snippet `encrypt` runs as shown', async () => {
  const { eaas, belongsTo, console, printed, fetch } = await stage();
  vi.stubGlobal('fetch', fetch);
  const ciphertext = (await run(snippets.encrypt, { EaasClient, console }, 'ciphertext')) as string;
  expect(await eaas.decrypt(ciphertext, { ...belongsTo, as: 'text' })).toBe('ada@example.com');
  expect(printed).toEqual(['ada@example.com']);
});

test('the snippet `search` runs as shown', async () => {
  const { eaas } = await stage();
  const names = { eaas, defineFields, field, indexKey: await createIndexKey(eaas) };
  expect(await run(snippets.search, names, 'email_index.includes(stored.email_index)')).toBe(true);
});

test('the snippet `read` runs as shown', async () => {
  const { eaas, ciphertext, belongsTo, console, printed } = await stage();
  await run(snippets.read, { eaas, ciphertext, belongsTo, console }, '0');
  expect(printed).toEqual(['key.unwrap', expect.stringMatching(/^[\da-f]{32}$/), 'key.wrap', null]);
});

test('the snippet `rotate` runs as shown', async () => {
  const { eaas, keyId, ciphertext, belongsTo, console, printed } = await stage();
  await run(snippets.rotate, { eaas, keyId, ciphertext, belongsTo, console }, '0');
  expect(printed).toEqual([true]);
});

test('the snippet `erase` runs as shown', async () => {
  const { eaas, ciphertext, belongsTo, console, printed } = await stage();
  await run(snippets.erase, { eaas, ciphertext, belongsTo, console }, '0');
  expect(printed).toEqual(['subject_erased', 'grace@example.com']);
});

test('the snippet `audit` runs as shown', async () => {
  const { eaas, console, printed } = await stage();
  const names = {
    checkAudit,
    eaas,
    state: null,
    show: (entry: object) => printed.push(entry),
    console,
  };
  await run(snippets.audit, names, '0');
  expect(printed.at(-1)).toMatch(/^\d entries hold$/);
});
