import { generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { limits } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { openTenant } from '../../test/open-tenant.ts';

const { call } = await openTenant();

test('an export of more versions than a page goes on at the next one, even for a single one', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const { key_id } = await call('POST /v1/keys', { name: 'many', exportable: true });
  const most = limits.versionsMaximum;
  for (let version = 1; version <= most; version++) await call('POST /v1/keys/:key_id/rotate', { key_id });
  const page = (from_version?: number) =>
    call('POST /v1/keys/:key_id/export', { key_id, public_key: { kty: 'RSA', n, e }, from_version });
  const [first, second] = [await page(), await page(most + 1)];
  expect(first.versions.map(({ key_version }) => key_version)).toEqual(
    first.versions.map((_, nth) => nth + 1),
  );
  expect([first.versions.length, first.next_version]).toEqual([most, most + 1]);
  expect([second.versions.map(({ key_version }) => key_version), second.next_version]).toEqual([
    [most + 1],
    null,
  ]);
  const encrypted = second.versions[0]?.encrypted ?? '';
  const secret = privateDecrypt({ key: privateKey, oaepHash: 'sha256' }, Buffer.from(encrypted, 'base64'));
  expect(secret).toHaveLength(32);
});
