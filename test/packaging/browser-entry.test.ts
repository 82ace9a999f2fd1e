import { expect, test } from 'vitest';
import { bundle, sourcesIn } from './bundle.ts';

const entry = "export { EaasBrowserClient } from '@eaas/sdk/browser'";

test('the client of a browser, with all that it needs, takes at most 16,000 bytes', async () => {
  const { gzipped } = await bundle(entry);
  expect(gzipped).toBeLessThanOrEqual(16_000);
});

test('noble, for synchronous calls, costs whoever brings it along at most 3,500 bytes more', async () => {
  const [{ gzipped }, withNoble] = await Promise.all([
    bundle(entry),
    bundle(`${entry}; export { nobleEngine } from '@eaas/protocol'`),
  ]);
  expect(withNoble.gzipped).toBeGreaterThan(gzipped);
  expect(withNoble.gzipped - gzipped).toBeLessThanOrEqual(3_500);
});

test('it has the platform’s AES and no other, no schemas, and nothing of the other entries', async () => {
  const sources = await sourcesIn(entry);
  expect(sources).toContain('packages/protocol/src/engines/webcrypto.ts');
  const folders = sources.flatMap((path) => /^packages\/sdk\/src\/(\w+)\//.exec(path)?.[1] ?? []);
  expect(folders).toEqual(['browser']);
  expect(
    sources.filter((path) => /ciphers\/(aes|_polyval)|\/zod\/|\/noble\.ts$|\/wire\//.test(path)),
  ).toEqual([]);
});

test('it has no place for an API key', async () => {
  const { text } = await bundle(entry);
  expect(text).not.toMatch(/apiKey|authorization|bearer/i);
  // What it refuses is there, or this would be no bundle of it.
  expect(text).toContain('eaas_sk_');
});

test('it brings no schemas along, and nothing of the proxy', async () => {
  const { text } = await bundle(entry);
  expect(text).not.toMatch(/\bzod\b|safeParse|_zod|batchItems|createProxy/i);
});

test('it makes no code from text, and reaches for nothing of Node', async () => {
  const { text } = await bundle(entry);
  expect(text).not.toMatch(/\beval\b|\bFunction\s*\(|\bnode:|\brequire\(|\bprocess\./);
});
