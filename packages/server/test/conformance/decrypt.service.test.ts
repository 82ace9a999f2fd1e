import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { takeApart } from '@eaas/test-kit/decoder';
import { sealedUnder } from './other-client.ts';
import { newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';
import { auditEntry } from './shapes.ts';

interface Bundle {
  ciphertext: string;
  wrapped_key: string;
  iv: string;
  key_id: string;
  key_version: number;
}

const tenant = await newTenant();
const key = await tenant.newKey();
const bundle = await encrypted('the plaintext');

async function encrypted(plaintext: string, keyId = key.key_id): Promise<Bundle> {
  return ok(await tenant.api.post('/v1/encrypt', { plaintext, key_id: keyId }));
}

const stored = ({ ciphertext, key_id, key_version }: Bundle) => ({ ciphertext, key_id, key_version });
const decrypt = (body: object) => tenant.api.post('/v1/decrypt', body);

function altered(offset: number, mask = 1): string {
  const bytes = Buffer.from(bundle.ciphertext, 'base64');
  const at = offset < 0 ? bytes.length + offset : offset;
  bytes.writeUInt8(bytes.readUInt8(at) ^ mask, at);
  return bytes.toString('base64');
}

test('decrypt needs only ciphertext, key_id and key_version', async () => {
  const answer = await decrypt(stored(bundle));
  expect(answer).toHaveStatus(200);
  expect(answer.body).toStrictEqual({ plaintext: 'the plaintext' });
});

test('decrypt accepts the whole bundle of encrypt', async () => {
  expect((await decrypt(bundle)).body).toStrictEqual({ plaintext: 'the plaintext' });
  const { iv, ...withoutIv } = bundle;
  expect((await decrypt(withoutIv)).body).toStrictEqual({ plaintext: 'the plaintext' });
  expect((await decrypt({ ...stored(bundle), iv })).body).toStrictEqual({ plaintext: 'the plaintext' });
});

test('the audit log records a decryption as decrypt', async () => {
  ok(await decrypt(stored(bundle)));
  expect(await newestEntry(tenant)).toStrictEqual(
    auditEntry({ action: 'decrypt', key_id: key.key_id, key_version: 1, actor: tenant.apiKeyId }),
  );
});

const failures: [string, () => object | Promise<object>][] = [
  ['another magic', () => ({ ciphertext: altered(0) })],
  ['version 0', () => ({ ciphertext: altered(3) })],
  ['an envelope that names another key', () => ({ ciphertext: altered(4) })],
  ['an envelope that names another version', () => ({ ciphertext: altered(23) })],
  ['an envelope with another n', () => ({ ciphertext: altered(25) })],
  ['an altered embedded wrapped_key', () => ({ ciphertext: altered(40) })],
  ['an altered iv', () => ({ ciphertext: altered(26 + 78) })],
  ['an altered commitment', () => ({ ciphertext: altered(26 + 78 + 12) })],
  ['an altered body', () => ({ ciphertext: altered(26 + 78 + 12 + 32) })],
  ['an altered tag', () => ({ ciphertext: altered(-1, 0x80) })],
  ['an envelope cut short', () => ({ ciphertext: bundle.ciphertext.slice(0, 160) })],
  ['a single byte', () => ({ ciphertext: 'AA==' })],
  ['no envelope at all', () => ({ ciphertext: randomBytes(200).toString('base64') })],
  ['another key_version', () => ({ key_version: 2 })],
  ['a key_version of 0', () => ({ key_version: 0 })],
  ['a negative key_version', () => ({ key_version: -1 })],
  ['a key_version over 32 bits', () => ({ key_version: 2 ** 32 + 1 })],
  ['an iv of another size', () => ({ iv: 'AAAA' })],
  ['another iv', () => ({ iv: randomBytes(12).toString('base64') })],
  ['a wrapped_key of another length', () => ({ wrapped_key: 'AAAA' })],
  ['a wrapped_key of random bytes', () => ({ wrapped_key: randomBytes(78).toString('base64') })],
  [
    'the wrapped_key of another bundle',
    async () => ({ wrapped_key: (await encrypted('other')).wrapped_key }),
  ],
  ['a stream (version 2)', async () => ({ ciphertext: (await sealedUnder(tenant.api, key.key_id)).stream })],
  [
    'bytes that are not UTF-8',
    async () => sealed(await sealedUnder(tenant.api, key.key_id, [Buffer.of(0xc3)])),
  ],
  [
    'a lone surrogate in CESU bytes',
    async () => sealed(await sealedUnder(tenant.api, key.key_id, [Buffer.of(0xed, 0xa0, 0x80)])),
  ],
];
const sealed = ({ ciphertext }: { ciphertext: string }) => ({
  ciphertext,
  wrapped_key: undefined,
  iv: undefined,
});

describe('a ciphertext that does not decrypt returns 422', () => {
  test.for(failures)('decrypt returns 422 for %s', async ([, change]) => {
    const answer = await decrypt({ ...stored(bundle), ...(await change()) });
    expect(answer).toBeProblem('decryption_failed');
    expect(answer.text).not.toContain('the plaintext');
    expect(answer.body).toStrictEqual((await decrypt({ ...stored(bundle), ciphertext: 'AAAA' })).body);
  });

  test.for([0, -1, -(2 ** 31), 2 ** 32, 2 ** 53 - 1])(
    'an impossible key_version (%d) is not written to the log',
    async (key_version) => {
      expect(await decrypt({ ...stored(bundle), key_version })).toBeProblem('decryption_failed');
      const { key_version: logged } = await newestEntry(tenant);
      expect([null, 1]).toContain(logged);
    },
  );

  test('the service decrypts a client’s ciphertext of more than 64 KiB', async () => {
    const { ciphertext } = await sealedUnder(tenant.api, key.key_id, [Buffer.alloc(100_000, 'a')]);
    const opened = await decrypt({ ciphertext, key_id: key.key_id, key_version: 1 });
    expect(opened).toHaveStatus(200);
  });

  test('decrypt returns 422 if a different key encrypted the value', async () => {
    const other = await tenant.newKey();
    expect(await decrypt({ ...stored(bundle), key_id: other.key_id })).toBeProblem('decryption_failed');
    expect(await decrypt({ ...bundle, key_id: other.key_id })).toBeProblem('decryption_failed');
  });
});

test('a failed decryption is recorded with the outcome `refused` and its code', async () => {
  await decrypt({ ...stored(bundle), ciphertext: altered(-1) });
  expect(await newestEntry(tenant)).toMatchObject({
    action: 'decrypt',
    key_id: key.key_id,
    actor: tenant.apiKeyId,
    metadata: { outcome: 'refused', code: 'decryption_failed' },
  });
});

describe('wrapped_key and iv replace those in the envelope', () => {
  test('wrapped_key and iv of a decrypt request replace those in the envelope', async () => {
    const damagedKey = await decrypt({ ...bundle, ciphertext: altered(40) });
    expect(damagedKey.body).toStrictEqual({ plaintext: 'the plaintext' });
    const damagedIv = await decrypt({ ...bundle, ciphertext: altered(26 + 78) });
    expect(damagedIv.body).toStrictEqual({ plaintext: 'the plaintext' });
  });

  test('after rewrap, the new wrapped key and key_version decrypt the old ciphertext', async () => {
    const { key_id } = await tenant.newKey();
    const old = await encrypted('moved on', key_id);
    ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
    const rewrapped = ok(
      await tenant.api.post(`/v1/keys/${key_id}/rewrap`, { wrapped_key: old.wrapped_key }),
    );
    const { wrapped_key } = rewrapped;
    const presented = await decrypt({ ...old, wrapped_key, key_version: 2 });
    expect(presented.body).toStrictEqual({ plaintext: 'moved on' });
    expect(await decrypt({ ...old, wrapped_key, key_version: 1 })).toBeProblem('decryption_failed');
    expect(await decrypt({ ...stored(old), key_version: 2 })).toBeProblem('decryption_failed');
    expect((await decrypt(stored(old))).body).toStrictEqual({ plaintext: 'moved on' });
    expect(await newestEntry(tenant)).toMatchObject({ action: 'decrypt', key_id, key_version: 1 });
  });

  test('the version in the envelope’s header is checked only if the request has no wrapped_key', async () => {
    const ciphertext = altered(23, 0x7f);
    expect((await decrypt({ ...bundle, ciphertext })).body).toStrictEqual({ plaintext: 'the plaintext' });
    const { iv } = bundle;
    expect(await decrypt({ ...stored(bundle), ciphertext, iv })).toBeProblem('decryption_failed');
    const named = { ...stored(bundle), ciphertext, key_version: 0x7e };
    expect(await decrypt(named)).toBeProblem('decryption_failed');
  });

  test('key_id must equal the key_id in the header, also if wrapped_key is sent', async () => {
    const { key_id } = await tenant.newKey();
    const { dek } = ok(
      await tenant.api.post(`/v1/keys/${key.key_id}/unwrap`, { wrapped_key: bundle.wrapped_key }),
    );
    const { wrapped_key } = ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek }));
    expect(await decrypt({ ...bundle, key_id, wrapped_key })).toBeProblem('decryption_failed');
  });
});

test('the wrapped key in a bundle unwraps only without a context', async () => {
  const context = { table: 'patients' };
  const body = { plaintext: 'x', key_id: key.key_id, context };
  const { ciphertext, wrapped_key } = ok(await tenant.api.post('/v1/encrypt', body));
  expect(takeApart(ciphertext).wrappedKey).toBe(wrapped_key);
  const unwrap = (fields: object) =>
    tenant.api.post(`/v1/keys/${key.key_id}/unwrap`, { wrapped_key, ...fields });
  expect(await unwrap({})).toHaveStatus(200);
  expect(await unwrap({ context })).toBeProblem('wrapped_key_unauthentic');
});

test('decrypt refuses a bundle whose wrapped key was wrapped with a context', async () => {
  const context = { table: 'patients' };
  const { dek } = ok(
    await tenant.api.post(`/v1/keys/${key.key_id}/unwrap`, { wrapped_key: bundle.wrapped_key }),
  );
  const { wrapped_key } = ok(await tenant.api.post(`/v1/keys/${key.key_id}/wrap`, { dek, context }));
  expect(await decrypt({ ...bundle, wrapped_key })).toBeProblem('decryption_failed');
  expect(await decrypt({ ...bundle, wrapped_key, context })).toBeProblem('decryption_failed');
});
