import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newDek, newestEntry, newTenant, ok, wrapped } from '@eaas/test-kit/fixture';
import { auditEntry } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();

const unwrap = (body: object, keyId = key.key_id) => tenant.api.post(`/v1/keys/${keyId}/unwrap`, body);

test('unwrap returns the DEK, key_id and key_version', async () => {
  for (const dek of [
    newDek(),
    Buffer.alloc(32).toString('base64'),
    Buffer.alloc(32, 0xff).toString('base64'),
  ]) {
    const { wrapped_key } = ok(await tenant.api.post(`/v1/keys/${key.key_id}/wrap`, { dek }));
    const answer = await unwrap({ wrapped_key, key_version: 1 });
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual({ dek, key_id: key.key_id, key_version: 1 });
    expect((await unwrap({ wrapped_key })).body).toStrictEqual(answer.body);
  }
});

test('the audit entry of unwrap has the key_version in its metadata', async () => {
  const { key_id } = await tenant.newKey();
  const wrapped_key = await wrapped(tenant.api, key_id);
  ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  const { dek } = ok(await unwrap({ wrapped_key }, key_id));
  const entry = await newestEntry(tenant);
  expect(entry).toStrictEqual(
    auditEntry({ action: 'key.unwrap', key_id, key_version: 1, actor: tenant.apiKeyId }),
  );
  expect(entry.metadata).toMatchObject({ key_version: 1 });
  expect(JSON.stringify(entry)).not.toContain(dek);
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
    ['random bytes of the right length', () => `AQEAAAAB${randomBytes(72).toString('base64')}`, 1],
    [
      'the bytes of another key’s wrapped_key',
      async () => wrapped(tenant.api, (await tenant.newKey()).key_id),
      1,
    ],
    ['a context that the call does not send', async () => wrapped(tenant.api, key.key_id, { a: 'b' }), 1],
  ];
  test.for(forged)('unwrap returns 403 for a wrapped_key with %s', async ([, forge, claimed]) => {
    const wrapped_key = await forge(await wrapped(tenant.api, key.key_id));
    expect(await unwrap({ wrapped_key })).toBeProblem('wrapped_key_unauthentic');
    expect(await newestEntry(tenant)).toMatchObject({
      action: 'key.unwrap',
      key_id: key.key_id,
      actor: tenant.apiKeyId,
      metadata: { outcome: 'refused', code: 'wrapped_key_unauthentic', key_version: claimed },
    });
  });

  test.for([1, 3, 77, 79, 80, 1_024])(
    'unwrap returns 403 for canonical base64 of a wrong length: %i bytes',
    async (length) => {
      const wrapped_key = randomBytes(length).toString('base64');
      expect(await unwrap({ wrapped_key })).toBeProblem('wrapped_key_unauthentic');
      expect(await newestEntry(tenant)).toMatchObject({ metadata: { outcome: 'refused' } });
    },
  );

  test('unwrap returns 403 for a wrapped key of another tenant', async () => {
    const other = await newTenant('--envelope-only', 'true');
    const foreign = await wrapped(other.api, (await other.newKey()).key_id);
    expect(await unwrap({ wrapped_key: foreign })).toBeProblem('wrapped_key_unauthentic');
  });

  test.for([0, 2, -1, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER])(
    'unwrap returns 403 for a wrong key_version: %d',
    async (key_version) => {
      const wrapped_key = await wrapped(tenant.api, key.key_id);
      expect(await unwrap({ wrapped_key, key_version })).toBeProblem(
        'wrapped_key_unauthentic',
        /`key_version` is .* names version 1/,
      );
      expect(await newestEntry(tenant)).toMatchObject({ metadata: { outcome: 'refused', key_version: 1 } });
    },
  );

  test('if a wrapped key has a version that the key lacks, the error names this version', async () => {
    const [{ key_id }, rotated] = [await tenant.newKey(), await tenant.newKey()];
    ok(await tenant.api.post(`/v1/keys/${rotated.key_id}/rotate`));
    const wrapped_key = await wrapped(tenant.api, rotated.key_id);
    for (const call of ['unwrap', 'rewrap']) {
      const answer = await tenant.api.post(`/v1/keys/${key_id}/${call}`, { wrapped_key });
      expect(answer).toBeProblem('wrapped_key_unauthentic', /`key_version` 2, which this key does not have/);
    }
  });

  test('if a wrapped_key contains no version, the audit entry of the refused unwrap has the current version', async () => {
    const { key_id } = await tenant.newKey();
    ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
    expect(await unwrap({ wrapped_key: 'AQE=' }, key_id)).toBeProblem('wrapped_key_unauthentic');
    expect((await newestEntry(tenant)).metadata).toMatchObject({ outcome: 'refused', key_version: 2 });
  });
});

test('unwrap returns 403 if its context differs from the context of wrap', async () => {
  const context = { table: 'patients', column: 'name' };
  const wrapped_key = await wrapped(tenant.api, key.key_id, context);
  const same = await unwrap({ wrapped_key, context: { column: 'name', table: 'patients' } });
  expect(same).toHaveStatus(200);
  expect(JSON.stringify(await newestEntry(tenant))).toContain('patients');
  for (const other of [{}, { table: 'patients' }, { ...context, more: '' }, { ...context, column: 'Name' }]) {
    expect(await unwrap({ wrapped_key, context: other })).toBeProblem('wrapped_key_unauthentic');
  }
});
