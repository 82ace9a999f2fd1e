import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';

const entry = "export { EaasBrowserClient } from '@eaas/sdk/browser'";

test('the client of a browser, with all that it needs, takes at most 16,000 bytes', async () => {
  const { gzipped } = await bundle(entry);
  expect(gzipped).toBeLessThanOrEqual(16_000);
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
