import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { expectNothingRecorded, newDek, newestEntry, newTenant, ok, wrapped } from '@eaas/test-kit/fixture';
import { aBase64 } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();
const other = await newTenant('--envelope-only', 'true');
const actor = tenant.apiKeyId;

const wrap = (body: unknown, keyId = key.key_id) => tenant.api.post(`/v1/keys/${keyId}/wrap`, body);
const unwrap = (body: object, keyId = key.key_id) => tenant.api.post(`/v1/keys/${keyId}/unwrap`, body);
const rewrap = (body: object, keyId = key.key_id) => tenant.api.post(`/v1/keys/${keyId}/rewrap`, body);

async function newRotatedKey(): Promise<string> {
  const { key_id } = await tenant.newKey();
  ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  return key_id;
}

describe('wrap', () => {
  test('wrap returns wrapped_key, key_id and key_version, and its audit entry has the context, but never the DEK', async () => {
    const [dek, context] = [newDek(), { table: 'patients' }];
    const answer = await wrap({ dek, context }, key.key_id.toUpperCase());
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual({ wrapped_key: aBase64, key_id: key.key_id, key_version: 1 });
    const entry = await newestEntry(tenant);
    const expected = { action: 'key.wrap', key_id: key.key_id, key_version: 1, actor, metadata: { context } };
    expect(entry).toMatchObject(expected);
    expect(JSON.stringify(entry)).not.toContain(dek);
    expect(JSON.stringify(entry)).not.toContain(answer.body.wrapped_key);
  });

  test.for([
    ['31 bytes', Buffer.alloc(31, 7).toString('base64')],
    ['33 bytes', Buffer.alloc(33, 7).toString('base64')],
    ['bits after the last byte', `${'A'.repeat(42)}B=`],
  ] as const)('a DEK that is not 32 bytes in canonical base64 returns 400: %s', async ([, dek]) => {
    await expectNothingRecorded(tenant, async () => {
      const answer = await wrap({ dek });
      expect(answer).toBeProblem('bad_request', /dek/);
      expect(answer.text).not.toContain('BwcHBwcH');
    });
  });
});

describe('an unauthentic wrapped_key returns 403 and is recorded', () => {
  const flipped = (text: string, at: number): string => {
    const bytes = Buffer.from(text, 'base64');
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes.toString('base64');
  };
  const forged: [string, (genuine: string) => string | Promise<string>, number][] = [
    ['another format', (text) => flipped(text, 0), 1],
    ['another suite', (text) => flipped(text, 1), 1],
    ['an altered version', (text) => flipped(text, 5), 0],
    ['an altered salt', (text) => flipped(text, 6), 1],
    ['altered contents', (text) => flipped(text, 30), 1],
    ['an altered tag', (text) => flipped(text, 77), 1],
    ['the bytes of another key’s', async () => wrapped(tenant.api, (await tenant.newKey()).key_id), 1],
    ['the bytes of another tenant’s', async () => wrapped(other.api, (await other.newKey()).key_id), 1],
    ['77 bytes', () => randomBytes(77).toString('base64').replace(/^.{8}/, 'AQEAAAAB'), 1],
    ['79 bytes', () => randomBytes(79).toString('base64').replace(/^.{8}/, 'AQEAAAAB'), 1],
  ];
  test.for(forged)('unwrap returns 403 for a wrapped_key with %s', async ([, forge, claimed]) => {
    const wrapped_key = await forge(await wrapped(tenant.api, key.key_id));
    expect(await unwrap({ wrapped_key })).toBeProblem('wrapped_key_unauthentic');
    expect(await newestEntry(tenant)).toMatchObject({
      action: 'key.unwrap',
      key_id: key.key_id,
      actor,
      metadata: { outcome: 'refused', code: 'wrapped_key_unauthentic', key_version: claimed },
    });
  });

  test.for([0, 2, 2 ** 32 + 1])('unwrap returns 403 for a wrong key_version: %d', async (key_version) => {
    const wrapped_key = await wrapped(tenant.api, key.key_id);
    expect(await unwrap({ wrapped_key, key_version })).toBeProblem(
      'wrapped_key_unauthentic',
      /`key_version` is .* names version 1/,
    );
    expect(await newestEntry(tenant)).toMatchObject({ metadata: { outcome: 'refused', key_version: 1 } });
  });

  test('if a wrapped key has a version that the key lacks, the error names this version', async () => {
    const wrapped_key = await wrapped(tenant.api, await newRotatedKey());
    for (const call of [unwrap, rewrap]) {
      const answer = await call({ wrapped_key });
      expect(answer).toBeProblem('wrapped_key_unauthentic', /`key_version` 2, which this key does not have/);
    }
  });

  test('if the authentication of a wrapped_key fails, rewrap returns 403 and records the refusal', async () => {
    const foreign = await wrapped(tenant.api, (await tenant.newKey()).key_id);
    for (const wrapped_key of [foreign, await wrapped(tenant.api, key.key_id, { a: 'b' }), 'AAAA']) {
      expect(await rewrap({ wrapped_key })).toBeProblem('wrapped_key_unauthentic');
      const metadata = { outcome: 'refused', code: 'wrapped_key_unauthentic' };
      expect(await newestEntry(tenant)).toMatchObject({ action: 'key.wrap', key_id: key.key_id, metadata });
    }
  });
});

describe('rewrap', () => {
  test('rewrap replaces a wrapped key of an older version, which unwrap opens too, and does not return the DEK', async () => {
    const { key_id } = await tenant.newKey();
    const [dek, context] = [newDek(), { a: 'b' }];
    const old = ok(await wrap({ dek, context }, key_id)).wrapped_key;
    ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
    expect(ok(await unwrap({ wrapped_key: old, context }, key_id)).dek).toBe(dek);
    const { action, actor: by, key_version, metadata: told } = await newestEntry(tenant);
    expect([action, by, key_version]).toStrictEqual(['key.unwrap', actor, 1]);
    expect(told).toStrictEqual({ key_version: 1, context });
    const before = await tenant.auditTotal();
    const answer = await rewrap({ wrapped_key: old, context }, key_id);
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual({ wrapped_key: aBase64, key_id, key_version: 2, rewrapped: true });
    expect(answer.body.wrapped_key).not.toBe(old);
    expect(answer.text).not.toContain(dek);
    expect(await tenant.auditTotal()).toBe(before + 1);
    const metadata = { from_version: 1 };
    expect(await newestEntry(tenant)).toMatchObject({ action: 'key.wrap', key_id, key_version: 2, metadata });
    const body = { wrapped_key: answer.body.wrapped_key, context };
    expect(ok(await unwrap(body, key_id)).dek).toBe(dek);
  });

  test('rewrap returns a wrapped key unchanged if it has the newest version', async () => {
    const wrapped_key = await wrapped(tenant.api, key.key_id);
    const before = await tenant.auditTotal();
    const { body } = await rewrap({ wrapped_key });
    expect(body).toStrictEqual({ wrapped_key, key_id: key.key_id, key_version: 1, rewrapped: false });
    expect(await tenant.auditTotal()).toBe(before + 1);
    expect(await newestEntry(tenant)).toMatchObject({ action: 'key.wrap', metadata: { from_version: 1 } });
  });
});
