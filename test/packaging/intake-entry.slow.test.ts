import { expect, test } from 'vitest';
import { bundle, entryFoldersIn, onDemand, sourcesIn } from './bundle.ts';

const entry = "export { createIntake } from '@eaas/sdk/intake'";

test('`createIntake` with its dependencies takes at most 17,500 bytes', async () => {
  const { gzipped } = await bundle(entry);
  expect(gzipped).toBeLessThanOrEqual(17_500);
});

test('X25519, which some platforms need, has at most 7,000 bytes, and nothing else is in it', async () => {
  const { gzipped, sources } = await onDemand(entry, /x25519/);
  expect(gzipped).toBeLessThanOrEqual(7_000);
  expect(sources.filter((path) => path.endsWith('/montgomery.js'))).toHaveLength(1);
  expect(sources.filter((path) => /ciphers\/|ed25519|\/ml-kem/.test(path))).toEqual([]);
});

test('a bundle with only `createIntake` contains no AES implementation, zod, HTTP code or other entry point', async () => {
  const sources = await sourcesIn(entry);
  expect(sources).toContain('packages/protocol/src/engines/webcrypto.ts');
  expect(entryFoldersIn(sources)).toEqual(new Set(['data-keys', 'intake']));
  const others =
    /noble\/ciphers|\/zod\/|\/ky\/|\/noble\.ts$|\/wire\/|\/(transport|batches|envelope-client)\.ts$/;
  expect(sources.filter((path) => others.test(path))).toEqual([]);
});

test('`createIntake` does not use the network, eval or any module of Node', async () => {
  const { text } = await bundle(entry);
  expect(text).toContain('eaas_pk_1');
  expect(text).not.toMatch(/\bfetch\b|XMLHttpRequest|apiKey|authorization|bearer/i);
  expect(text).not.toMatch(/\beval\b|\bFunction\s*\(|\bnode:|\brequire\(|\bprocess\./);
});
