import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectNothingRecorded, newDek, newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';
import { aBase64, auditEntry } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();

const wrap = (body: unknown, keyId = key.key_id) => tenant.api.post(`/v1/keys/${keyId}/wrap`, body);

test('wrap returns wrapped_key, key_id and key_version', async () => {
  const answer = await wrap({ dek: newDek() });
  expect(answer).toHaveStatus(200);
  expect(answer.body).toStrictEqual({ wrapped_key: aBase64, key_id: key.key_id, key_version: 1 });
});

test('a wrapped key has 78 bytes: format, version, salt and the sealed DEK', async () => {
  const { key_id } = await tenant.newKey();
  ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  const dek = newDek();
  const one = ok(await wrap({ dek }, key_id)).wrapped_key;
  const two = ok(await wrap({ dek }, key_id)).wrapped_key;
  expect(one).toMatch(/^[A-Za-z0-9+/]{104}$/);
  expect(Buffer.from(one, 'base64').subarray(0, 6).toString('hex')).toBe('010100000002');
  expect(one.slice(8)).not.toBe(two.slice(8));
});

test('the audit entry of wrap has the context and never the DEK', async () => {
  const dek = newDek();
  const { wrapped_key } = ok(await wrap({ dek, context: { table: 'patients' } }));
  const entry = await newestEntry(tenant);
  expect(entry).toStrictEqual(
    auditEntry({ action: 'key.wrap', key_id: key.key_id, key_version: 1, actor: tenant.apiKeyId }),
  );
  expect(JSON.stringify(entry.metadata)).toContain('patients');
  expect(JSON.stringify(entry)).not.toContain(dek);
  expect(JSON.stringify(entry)).not.toContain(wrapped_key);
});

test.for([
  ['empty', ''],
  ['31 bytes', randomBytes(31).toString('base64')],
  ['33 bytes', randomBytes(33).toString('base64')],
  ['64 bytes', randomBytes(64).toString('base64')],
  ['no padding', Buffer.alloc(32, 7).toString('base64').slice(0, -1)],
  ['the URL alphabet', Buffer.alloc(32, 0xff).toString('base64url')],
  ['the URL alphabet, padded', `${Buffer.alloc(32, 0xff).toString('base64url')}=`],
  ['bits after the last byte', `${'A'.repeat(42)}B=`],
  ['a line break', `${Buffer.alloc(32, 7).toString('base64')}\n`],
  ['spaces', ` ${Buffer.alloc(32, 7).toString('base64')}`],
  ['hex', Buffer.alloc(32, 7).toString('hex')],
  ['a number', 32],
  ['null', null],
  ['a list of bytes', Array.from({ length: 32 }, () => 7)],
] as const)('a DEK that is not 32 bytes in canonical base64 returns 400: %s', async ([, dek]) => {
  await expectNothingRecorded(tenant, async () => {
    const answer = await wrap({ dek });
    expect(answer).toBeProblem('bad_request', /dek/);
    expect(answer.text).not.toContain('BwcHBwcH');
  });
});

test('the path of wrap takes a key id in upper case', async () => {
  const dek = newDek();
  const upper = await wrap({ dek }, key.key_id.toUpperCase());
  expect(ok(upper).key_id).toBe(key.key_id);
});
