import { generateKeyPairSync, privateDecrypt, randomBytes } from 'node:crypto';
import { type Input, limits, type Route } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { rootKey } from '../crypto/tenant-secrets.ts';
import { memoryStore } from '@eaas/local/internal';
import { run } from '../operate.ts';
import { insider } from '../operation.ts';
import { createService } from '../service.ts';
import { changeTenant, newTenant } from './tenants.ts';
import { settle } from '../operate.ts';

let time = Date.parse('2026-11-30T23:59:00Z');
const store = memoryStore({ now: () => time });
const roots = [rootKey(randomBytes(32))] as const;
const service = createService({ store, roots, patience: 600_000 });
const { head, writes, record } = newTenant(roots, { name: 'ann', envelope_only: false }, time);
await store.create(head, writes);
const operator = insider(record.tenant_id, 'operator');
const call = async <R extends Route>(route: R, input: Input<R>) =>
  (await run(service, operator, route, input)).answer;

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
