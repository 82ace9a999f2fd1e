import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { contains, createRecorder, shown } from './exchanges.ts';

const service = createTestService();
const { key_id: keyId } = await service.createKey('test');
const cache = { encrypt: false, decrypt: false } as const;

test('the recorder returns only the requests that were sent by the recorded function', async () => {
  const { fetch, during } = createRecorder(service.fetch);
  const client = new EaasClient({ ...service, fetch, keyId, cache });
  await client.encrypt('before');
  const sealed = await during(() => client.encrypt('ada@example.com'));
  expect(sealed.ok).toBe(true);
  expect(sealed.exchanges).toMatchObject([{ method: 'POST', path: `/v1/keys/${keyId}/wrap`, status: 200 }]);
  expect(JSON.stringify(sealed.exchanges)).not.toContain('ada@example.com');
});

test('the recorder keeps the requests of a failed step', async () => {
  const { fetch, during } = createRecorder(service.fetch);
  const client = new EaasClient({ ...service, fetch, keyId, cache, retries: 0 });
  service.failNext('unavailable');
  const failed = await during(() => client.encrypt('x'));
  expect(failed.ok).toBe(false);
  expect(failed.exchanges).toMatchObject([{ status: 503 }]);
  const refused = await during(() => client.decrypt('plaintext'));
  expect(refused).toMatchObject({ ok: false, exchanges: [] });
});

test('the shown request body has a shortened data key', () => {
  const dek = Buffer.alloc(32, 9).toString('base64');
  expect(shown(JSON.stringify({ dek, key_version: 1 }))).toBe(
    '{\n  "dek": "CQkJ… (a data key, shortened)",\n  "key_version": 1\n}',
  );
  expect(shown('<h1>502</h1>')).toBe('<h1>502</h1>');
});

test('`contains` finds a value in a text, as plain text, JSON, base64 or hex', () => {
  const value = 'ada@example.com';
  const bytes = Buffer.from(`before ${value} after`);
  expect(contains(`{"value":"${value}"}`, value)).toBe(true);
  expect(contains(bytes.toString('hex'), value)).toBe(true);
  expect(contains(Buffer.from(value).toString('base64'), value)).toBe(true);
  expect(contains(JSON.stringify({ value: 'a "quote"' }), 'a "quote"')).toBe(true);
  expect(contains('{"dek":"AAAA"}', value)).toBe(false);
});
