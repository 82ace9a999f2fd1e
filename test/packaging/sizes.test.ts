import { describe, expect, test } from 'vitest';
import { bundle } from './bundle.ts';

// What a browser downloads, in bytes after gzip -9.
const budgets = {
  "export * from '@eaas/protocol'": 9_000,
  "export { pae } from '@eaas/protocol'": 1_000,
  "export { toBase64, fromBase64 } from '@eaas/protocol/base64'": 1_000,
  "export * from '@eaas/protocol/wire'": 16_000,
};

test.each(Object.entries(budgets))('%s takes at most %d bytes', async (code, budget) => {
  const { gzipped } = await bundle(code);
  expect(gzipped).toBeLessThanOrEqual(budget);
});

describe.each(['', '/base64', '/envelope', '/stream', '/audit', '/wire', '/webcrypto'])(
  '@eaas/protocol%s',
  (subpath) => {
    test('bundles for browsers: nothing of Node is within reach', async () => {
      const { text } = await bundle(`export * from '@eaas/protocol${subpath}'`);
      expect(text).not.toMatch(/\bnode:|\brequire\(|\bprocess\./);
    });
  },
);

describe.each(['', '/base64', '/envelope', '/stream', '/audit', '/webcrypto'])(
  '@eaas/protocol%s',
  (subpath) => {
    test('makes no code from text, so that a strict content security policy lets it run', async () => {
      const { text } = await bundle(`export * from '@eaas/protocol${subpath}'`);
      expect(text).not.toMatch(/\beval\b|\bFunction\s*\(/);
    });
  },
);

test('nothing runs merely because a module was imported', async () => {
  const { text } = await bundle(
    "import '@eaas/protocol'; import '@eaas/protocol/wire'; import '@eaas/protocol/stream'",
  );
  expect(text).toBe('');
});
