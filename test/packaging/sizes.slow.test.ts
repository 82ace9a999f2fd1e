import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { browserBuild } from '@eaas/test-kit/browser-build';
import { bundle, entryFoldersIn, sourcesIn } from './bundle.ts';

// The largest allowed size of each entry point, in bytes after `gzip -9`.
const budgets = {
  "export * from '@eaas/protocol'": 9_750,
  "export { pae } from '@eaas/protocol'": 1_000,
  "export { toBase64, fromBase64 } from '@eaas/protocol/base64'": 1_000,
  "export * from '@eaas/protocol/internal'": 3_700,
  "export * from '@eaas/protocol/wire'": 17_600,
};

test.each(Object.entries(budgets))('the bundle of %s has at most %d bytes', async (code, budget) => {
  const { gzipped, warnings } = await bundle(code);
  expect(gzipped).toBeLessThanOrEqual(budget);
  expect(warnings).toEqual([]);
});

// What a page loads beside its client, in which the entries find most of what they need.
const besideTheClient = {
  "export * from '@eaas/sdk/stream'": 10_000,
  "export { createIndexKey, defineFields, field, unencrypted } from '@eaas/sdk/fields'": 11_000,
  "export * from '@eaas/sdk/fields'": 14_500,
};

test.each(Object.entries(besideTheClient))(
  'beside the client, %s has at most %d bytes',
  async (code, budget) => {
    const client = "export { EaasClient } from '@eaas/sdk'";
    const [alone, both] = await Promise.all([bundle(client), bundle(`${client}; ${code}`)]);
    expect(both.gzipped - alone.gzipped).toBeLessThanOrEqual(budget);
    expect(both.warnings).toEqual([]);
  },
);

test('in a Worker, keys in a variable add at most 1,850 bytes to a local service, and no module of Node', async () => {
  const bundled = async (...plugins: Plugin[]): Promise<string> => {
    const contents = "export { EaasClient } from '@eaas/sdk'; export { localService } from '@eaas/local'";
    const { outputFiles } = await build({
      ...browserBuild,
      splitting: false,
      stdin: { contents, resolveDir: import.meta.dirname },
      conditions: ['@eaas/source', 'workerd', 'worker'],
      plugins,
    });
    return outputFiles[0]?.text ?? '';
  };
  const contents = 'export const openSealedStore = () => undefined;';
  const [all, inMemory] = await Promise.all([
    bundled(),
    bundled({
      name: 'no keys in a variable',
      setup: (its) => its.onLoad({ filter: /local\/src\/sealed\.ts$/ }, () => ({ contents })),
    }),
  ]);
  const [most, least] = [all, inMemory].map((text) => gzipSync(text, { level: 9 }).length);
  expect(all).toContain('eaas_local_');
  expect(Number(most) - Number(least)).toBeLessThanOrEqual(1_850);
  expect(all).not.toMatch(/\bnode:|\brequire\(/);
});

describe.each(['', '/base64', '/internal', '/stream', '/audit', '/wire', '/webcrypto'])(
  '@eaas/protocol%s',
  (subpath) => {
    test('the bundle for browsers contains no module or global of Node', async () => {
      const { text } = await bundle(`export * from '@eaas/protocol${subpath}'`);
      expect(text).not.toMatch(/\bnode:|\brequire\(|\bprocess\./);
    });
  },
);

describe.each(['', '/base64', '/internal', '/stream', '/audit', '/webcrypto'])(
  '@eaas/protocol%s',
  (subpath) => {
    test('the bundle does not use eval', async () => {
      const { text } = await bundle(`export * from '@eaas/protocol${subpath}'`);
      expect(text).not.toMatch(/\beval\b|\bFunction\s*\(/);
    });
  },
);

test('importing a module of the package without using it adds no code to a bundle', async () => {
  const { text } = await bundle(
    "import '@eaas/protocol'; import '@eaas/protocol/wire'; import '@eaas/protocol/stream'",
  );
  expect(text).toBe('');
});

test('the code that recomputes the audit log is not a part of the client', async () => {
  const client = await sourcesIn("export { EaasClient } from '@eaas/sdk'");
  const audit = await sourcesIn("export { checkAudit } from '@eaas/audit'");
  const own = /\/audit\/src\/check\.ts$|\/audit-chain\.ts$|\/sha2\.js$/;
  expect(audit.filter((path) => own.test(path))).toHaveLength(3);
  expect(client.filter((path) => own.test(path))).toEqual([]);
});

test('the client and the schemas contain none of the reference’s texts', async () => {
  const sources = await sourcesIn("export * from '@eaas/sdk'; export * from '@eaas/protocol/wire'");
  expect(sources).toContain('packages/protocol/src/wire/endpoints.ts');
  const { text } = await bundle("export * from '@eaas/sdk'; export * from '@eaas/protocol/wire'");
  expect(text).not.toMatch(/Creates an active key|patients/);
});

test('the client contains no AES implementation', async () => {
  const sources = await sourcesIn("export { EaasClient } from '@eaas/sdk'");
  expect(sources).toContain('packages/protocol/src/engines/webcrypto.ts');
  expect(sources.filter((path) => /ciphers\/(aes|_polyval)|\/noble\.ts$/.test(path))).toEqual([]);
});

describe.each(['stream', 'fields'])('@eaas/sdk/%s', (entry) => {
  test('the bundle of the entry point contains only its own code', async () => {
    const sources = await sourcesIn(`export * from '@eaas/sdk/${entry}'`);
    expect(entryFoldersIn(sources)).toEqual(new Set([entry]));
    expect(sources.filter((path) => /\/zod\/|\/(transport|envelope-client)\.ts$/.test(path))).toEqual([]);
  });
});

test('verifying a proof loads ML-DSA on demand, and contains no HTTP code, schema or cipher', async () => {
  const sources = await sourcesIn("export { verifyProof } from '@eaas/audit'");
  expect(sources).toContain('packages/protocol/src/log/proof.ts');
  const others = /post-quantum|noble\/ciphers|\/zod\/|\/ky\/|\/wire\/|packages\/sdk|\/check\.ts$/;
  expect(sources.filter((path) => others.test(path))).toEqual([]);
});
