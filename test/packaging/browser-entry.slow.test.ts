import { expect, test } from 'vitest';
import { bundle, entryFoldersIn, sourcesIn } from './bundle.ts';

const entry = "export { createBrowserClient } from '@eaas/sdk/browser'";

const clients = [
  ['23 kB for the client of a page', entry, 23_499],
  ['26 kB for `EaasClient`', "export { EaasClient } from '@eaas/sdk'", 26_499],
  ['16 kB for a page that writes', "export { createIntake } from '@eaas/sdk/intake'", 16_000],
] as const;

test.each(clients)(
  'a bundle of esbuild has at most %s, with all that the first call needs',
  async (_, code, most) => {
    expect((await bundle(code)).gzipped).toBeLessThanOrEqual(most);
  },
);

test('the browser client with noble takes at most 27,500 bytes', async () => {
  const [alone, withNoble] = await Promise.all([
    bundle(entry),
    bundle(`${entry}; export { nobleEngine } from '@eaas/protocol'`),
  ]);
  expect(withNoble.gzipped).toBeGreaterThan(alone.gzipped);
  expect(withNoble.gzipped).toBeLessThanOrEqual(27_500);
});

test('the browser client loads AES and the code for sign-ins on demand, and contains neither zod nor code of other entry points', async () => {
  const sources = await sourcesIn(entry);
  expect(sources).toContain('packages/protocol/src/engines/webcrypto.ts');
  expect(entryFoldersIn(sources)).toEqual(new Set(['browser', 'data-keys', 'exchange', 'sign-in']));
  expect(
    sources.filter((path) =>
      /ciphers\/(aes|_polyval)|\/zod\/|\/noble\.ts$|\/wire\/|\/sign-in\.ts$/.test(path),
    ),
  ).toEqual([]);
});

test('the browser client does not take an API key', async () => {
  const { text } = await bundle(entry);
  expect(text).not.toContain('eaas_sk_ and 49');
  // Without the client in the bundle, the check above would prove nothing. The client's code contains `eaas_sk_`.
  expect(text).toContain('eaas_sk_');
});

test('the browser client does not use eval or any module of Node', async () => {
  const { text } = await bundle(entry);
  expect(text).not.toMatch(/\beval\b|\bFunction\s*\(|\bnode:|\brequire\(|\bprocess\./);
});

test('beside the browser client, halves of passkeys load the recovery on demand', async () => {
  const code = `${entry}; export * from '@eaas/sdk/passkey'`;
  const sources = await sourcesIn(code);
  expect(sources.filter((path) => /sdk\/src\/(passkey|intake)/.test(path))).toEqual([
    'packages/sdk/src/passkey/passkey.ts',
  ]);
  expect((await bundle(code)).text).not.toMatch(/\bnode:|\brequire\(|\bprocess\./);
});
