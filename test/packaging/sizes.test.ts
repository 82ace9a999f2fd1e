import { describe, expect, test } from 'vitest';
import { bundle, sourcesIn } from './bundle.ts';

// What a browser downloads, in bytes after gzip -9.
const budgets = {
  "export * from '@eaas/protocol'": 9_000,
  "export { pae } from '@eaas/protocol'": 1_000,
  "export { toBase64, fromBase64 } from '@eaas/protocol/base64'": 1_000,
  "export * from '@eaas/protocol/envelope'": 2_000,
  "export * from '@eaas/protocol/wire'": 16_000,
  "export { EaasClient } from '@eaas/sdk'": 16_000,
  "export * from '@eaas/sdk/stream'": 13_000,
  "export * from '@eaas/sdk/fields'": 8_000,
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

test('the audit’s monitor comes when it is asked for, and not with the client', async () => {
  const client = await sourcesIn("export { EaasClient } from '@eaas/sdk'");
  const monitor = await sourcesIn("export { monitorAudit } from '@eaas/sdk/audit'");
  const own = /\/src\/audit\/monitor\.ts$|\/audit-chain\.ts$|\/sha2\.js$/;
  expect(monitor.filter((path) => own.test(path))).toHaveLength(3);
  expect(client.filter((path) => own.test(path))).toEqual([]);
});

test('the client has the platform’s AES and no other', async () => {
  const sources = await sourcesIn("export { EaasClient } from '@eaas/sdk'");
  expect(sources).toContain('packages/protocol/src/engines/webcrypto.ts');
  expect(sources.filter((path) => /ciphers\/(aes|_polyval)|\/noble\.ts$/.test(path))).toEqual([]);
});

describe.each(['stream', 'fields', 'reencrypt', 'audit'])('@eaas/sdk/%s', (entry) => {
  test('brings no client along, and nothing of the other entries that a page has no use for', async () => {
    const sources = await sourcesIn(`export * from '@eaas/sdk/${entry}'`);
    const folders = sources.flatMap((path) => /^packages\/sdk\/src\/(\w+)\//.exec(path)?.[1] ?? []);
    expect(new Set(folders)).toEqual(new Set([entry]));
    expect(sources.filter((path) => /\/(ky|zod)\/|\/(transport|envelope-client)\.ts$/.test(path))).toEqual(
      [],
    );
  });
});
