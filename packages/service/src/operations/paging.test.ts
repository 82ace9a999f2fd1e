import { generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { limits } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { openTenant } from '../../test/open-tenant.ts';
import { settle } from '../operate.ts';
import { changeTenant } from './tenants.ts';

let time = Date.parse('2026-11-30T23:59:00Z');
const { service, operator, call } = await openTenant({ now: () => time });

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

test('the quota counts again from the first moment of a month', async () => {
  await settle(service, operator, changeTenant({ monthly_encrypt_quota: 1 }));
  const { key_id } = await call('POST /v1/keys', { name: 'counted' });
  const encrypt = () => call('POST /v1/encrypt', { key_id, plaintext: 'x' });
  await encrypt();
  await expect(encrypt()).rejects.toMatchObject({ code: 'quota_exceeded' });
  time = Date.parse('2026-12-01T00:00:11Z');
  await encrypt();
  await expect(encrypt()).rejects.toMatchObject({ code: 'quota_exceeded' });
});
