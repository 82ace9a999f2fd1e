import { expect, test } from 'vitest';
import { bundle, entryFoldersIn, onDemand, sourcesIn } from './bundle.ts';

const entry = "export { createIntake } from '@eaas/sdk/intake'";

test('X25519, which some platforms need, is one file of at most 3 kB with its own copy of noble', async () => {
  const { gzipped, sources } = await onDemand(entry, /x25519/);
  expect(sources).toEqual(['packages/protocol/dist/x25519.js']);
  expect(gzipped).toBeLessThanOrEqual(3_499);
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
