import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { browserBuild } from '@eaas/test-kit/browser-build';
import { bundle, entryFoldersIn, sourcesIn } from './bundle.ts';

test('@eaas/protocol adds at most 9,750 bytes to a page, after `gzip -9`', async () => {
  const { gzipped, warnings } = await bundle("export * from '@eaas/protocol'");
  expect(gzipped).toBeLessThanOrEqual(9_750);
  expect(warnings).toEqual([]);
});

test('in a Worker, a local service with keys in a variable needs no module of Node', async () => {
  const contents = "export { EaasClient } from '@eaas/sdk'; export { localService } from '@eaas/local'";
  const { outputFiles } = await build({
    ...browserBuild,
    splitting: false,
    stdin: { contents, resolveDir: import.meta.dirname },
    conditions: ['@eaas/source', 'workerd', 'worker'],
  });
  expect(outputFiles[0]?.text).toContain('eaas_local_');
  expect(outputFiles[0]?.text).not.toMatch(/\bnode:|\brequire\(/);
});

const ofNode = /\bnode:|\brequire\(|\bprocess\./;

test.each(['', '/base64', '/internal', '/stream', '/audit', '/webcrypto'])(
  'the bundle of @eaas/protocol%s for browsers contains no module or global of Node, and no eval',
  async (subpath) => {
    const { text } = await bundle(`export * from '@eaas/protocol${subpath}'`);
    expect(text).not.toMatch(ofNode);
    expect(text).not.toMatch(/\beval\b|\bFunction\s*\(/);
  },
);

test('the schemas contain no module or global of Node', async () => {
  expect((await bundle("export * from '@eaas/protocol/wire'")).text).not.toMatch(ofNode);
});

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
