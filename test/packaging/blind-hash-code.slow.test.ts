import { expect, test } from 'vitest';
import { onDemand, sourcesIn } from './bundle.ts';

const entries = [
  "export { EaasClient } from '@eaas/sdk'",
  "export { EaasBrowserClient } from '@eaas/sdk/browser'",
];
const hasher = /\/hasher-\w+\.js$/;

test.each(entries)('the first blind hash of %s loads at most 18,500 bytes', async (entry) => {
  const { gzipped, sources } = await onDemand(entry, hasher);
  expect(sources.filter((path) => path.endsWith('/abstract/weierstrass.js'))).toHaveLength(1);
  expect(gzipped).toBeLessThanOrEqual(18_500);
});

test.each(entries)(
  'the first blind hash of %s loads no cipher, no other curve and no code of zod',
  async (entry) => {
    const { sources } = await onDemand(entry, hasher);
    expect(
      sources.filter((path) => /ciphers\/|ed25519|montgomery|secp256k1|\/zod\/|\/ky\//.test(path)),
    ).toEqual([]);
  },
);

test.each(entries)(
  '%s contains no code for blind hashes, except the code that loads it on demand',
  async (entry) => {
    const sources = await sourcesIn(entry);
    expect(sources).toContain('packages/sdk/src/client/envelope-client.ts');
    expect(sources.filter((path) => /noble\/curves|\/blind-hash\//.test(path))).toEqual([]);
  },
);
