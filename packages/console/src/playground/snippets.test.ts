import { fromBase64 } from '@eaas/protocol/base64';
import { parseEnvelope } from '@eaas/protocol';
import { EaasClient } from '@eaas/sdk';
import { checkAudit } from '@eaas/sdk/audit';
import { createIndexKey, defineFields, text } from '@eaas/sdk/fields';
import { createIntake } from '@eaas/sdk/intake';
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
  const { key_id: keyId } = service.createKey('app');
  vi.stubEnv('EAAS_BASE_URL', service.baseUrl);
  vi.stubEnv('EAAS_API_KEY', service.apiKey);
  vi.stubEnv('EAAS_KEY_ID', keyId);
  const eaas = new EaasClient({ fetch: service.fetch, retries: 0 });
  const context = { table: 'users', row: '42' };
  const { ciphertext } = await eaas.encrypt('ada@example.com', { context });
  const printed: unknown[] = [];
  const console = { log: (...values: unknown[]) => printed.push(...values) };
  return { keyId, eaas, context, ciphertext, console, printed, fetch: service.fetch };
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test('the snippet `encrypt` runs as shown', async () => {
  const { eaas, context, fetch } = await stage();
  vi.stubGlobal('fetch', fetch);
  const ciphertext = (await run(snippets.encrypt, { EaasClient }, 'ciphertext')) as string;
  expect(await eaas.decrypt(ciphertext, { as: 'text', context })).toBe('ada@example.com');
});

test('the snippet `parts` runs as shown', async () => {
  const { ciphertext, console, printed, keyId } = await stage();
  await run(snippets.parts, { ciphertext, console, parseEnvelope, fromBase64 }, '0');
  expect(printed).toEqual([keyId, 1, 12]);
});

test('the snippet `requests` runs as shown', async () => {
  const { fetch, console, printed } = await stage();
  const eaas = (await run(snippets.requests, { fetch, console, EaasClient }, 'eaas')) as EaasClient;
  await eaas.encrypt('ada@example.com');
  expect(printed).toMatchObject(['POST', expect.stringMatching(/wrap$/), expect.stringMatching(/"dek"/)]);
});

test('the snippet `decrypt` runs as shown', async () => {
  const { eaas, ciphertext, console, printed } = await stage();
  await run(snippets.decrypt, { eaas, ciphertext, console }, '0');
  expect(printed).toEqual(['ada@example.com']);
});

test('the snippet `search` runs as shown', async () => {
  const { eaas } = await stage();
  const names = { eaas, defineFields, text, indexKey: await createIndexKey(eaas) };
  expect(await run(snippets.search, names, 'email_index.includes(stored.email_index)')).toBe(true);
});

test('the snippet `blind` runs as shown', async () => {
  const { eaas, console, printed } = await stage();
  await run(snippets.blind, { eaas, console }, '0');
  expect(printed).toEqual([true]);
});

test('the snippet `intake` runs as shown', async () => {
  const { eaas, console, printed } = await stage();
  const { key_id } = await eaas.keys.create({ name: 'form', intake: true });
  const { intakePublicKey: publicKey } = await eaas.publicKey(key_id);
  const context = { form: 'contact', submission: '17' };
  await run(snippets.intake, { eaas, console, createIntake, publicKey, context }, '0');
  expect(printed).toEqual(['Please call me back.']);
});

test.each(['flip', 'move'] as const)('the snippet `%s` runs as shown', async (name) => {
  const { eaas, ciphertext, context, console, printed } = await stage();
  const names = { eaas, ciphertext, console, fromBase64, ...(name === 'flip' && { context }) };
  await run(snippets[name], names, '0');
  expect(printed).toEqual(['decryption']);
});

test('the snippet `erase` runs as shown', async () => {
  const { eaas, console, printed } = await stage();
  await run(snippets.erase, { eaas, console }, '0');
  expect(printed).toEqual([
    'key.unwrap',
    expect.stringMatching(/^[\da-f]{32}$/),
    'key.wrap',
    null,
    'Grace is allergic',
    'subject_erased',
  ]);
});

test('the snippet `rotate` runs as shown', async () => {
  const { eaas, keyId, ciphertext, context, console, printed } = await stage();
  await run(snippets.rotate, { eaas, keyId, ciphertext, context, console }, '0');
  expect(printed).toEqual([true]);
});

test('the snippet `audit` runs as shown', async () => {
  const { eaas, console, printed } = await stage();
  const names = {
    checkAudit,
    eaas,
    store: { load: () => undefined, save: () => undefined },
    show: (entry: object) => printed.push(entry),
    console,
  };
  await run(snippets.audit, names, '0');
  expect(printed.at(-1)).toMatch(/^\d entries hold$/);
});
