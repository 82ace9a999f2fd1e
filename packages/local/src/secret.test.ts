// Keys that are derived from secrets of the app, and `secret` of createLocalService.
import { createHash, createHmac } from 'node:crypto';
import { runs } from '@eaas/test-kit/cases';
import { openEnvelope, openWrappedKey, takeApart } from '@eaas/test-kit/decoder';
import { vectors } from '@eaas/test-kit/vectors';
import { attempt, toHex } from '@eaas/protocol/internal';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { withOpened } from './key-file-format.ts';
import { createLocalService, type LocalServiceOptions } from './index.ts';
import { formatSealed } from './sealed.ts';
import { derivedKeys, keysOfSecrets, secretsIn } from './secret.ts';

afterEach(() => void vi.unstubAllEnvs());

const drawn = (name: string) => createHash('sha256').update(name).digest();
const [a, b, c] = [drawn('a').toString('hex'), drawn('b').toString('base64url'), drawn('c').toString('hex')];

/** A process of its own, with a client whose data keys nobody has yet. */
const start = (options: LocalServiceOptions) => new EaasClient({ service: createLocalService(options) });
const context = { row: '1' };

test.each(vectors('local-secret').cases)('the vector $name', (vector) => {
  const file = derivedKeys(vector.secrets);
  const [key] = withOpened(file, (_, material) => material && toHex(material)).keys;
  expect(vector).toMatchObject({
    tenant_id: file.tenantId,
    tenant_secret: toHex(file.secret),
    key_id: key?.key_id,
    hash_key: key?.hash_key,
    versions: key?.versions.map(({ sealed }) => sealed),
  });
});

test.each(vectors('local-secret-accepted').cases)(
  'what the service encrypts under $name opens by the vector and a second implementation alone',
  async ({ secrets, tenant_id, key_id, versions }) => {
    for (const [nth, version] of versions.entries()) {
      const service = createLocalService({ secret: secrets, current: nth + 1 });
      expect([service.tenantId, service.keyId]).toEqual([tenant_id, key_id]);

      const client = new EaasClient({ service });
      const ciphertext = await client.encrypt('a token', { context });

      const { keyVersion, wrappedKey } = takeApart(ciphertext);
      const place = { tenant: tenant_id, key: key_id };
      const dataKey = openWrappedKey(wrappedKey, Buffer.from(version, 'hex'), place);
      expect([keyVersion, openEnvelope(ciphertext, dataKey, context).toString()]).toEqual([
        nth + 1,
        'a token',
      ]);
    }
  },
);

test.each(vectors('local-secret-accepted').cases)(
  'the fingerprints under $name are those of the vector',
  async ({ secrets, hash_key }) => {
    const client = start({ secret: secrets });
    const expected = createHmac('sha256', Buffer.from(hash_key, 'hex'))
      .update('ada@example.com')
      .digest('hex');
    expect(await client.hash('ada@example.com')).toBe(expected);
  },
);

test('all secrets but the newest open what others encrypt, also as a text, which is always the same', async () => {
  const sealed = formatSealed(keysOfSecrets([a, b]));
  expect(formatSealed(keysOfSecrets([a, b]))).toBe(sealed);
  const old = start({ secret: a });
  const newer = [{ secret: [a, b], current: 1 }, { secret: [a, b] }, { sealed }].map(start);
  for (const [at, from] of [old, ...newer].entries()) {
    const value = await from.encrypt('token', { context, as: 'bundle' });
    expect(value.key_version).toBe(at < 2 ? 1 : 2);
    for (const reader of at < 2 ? [old, ...newer] : newer) {
      expect(await reader.decrypt(value.ciphertext, { as: 'text', context })).toBe('token');
    }
  }
});

test('after a rotation, searches find old values, and old values move to the new version', async () => {
  const table = defineFields({ people: { email: field.text().searchable() } });
  const old = table.for(start({ secret: a }), { index: 'service' });
  const client = start({ secret: [a, b] });
  const next = table.for(client, { index: 'service' });
  const stored = await old.encryptRow('people', 1, { email: 'a@b.c' });
  expect(await next.where('people', { email: 'a@b.c' })).toEqual({ email_index: [stored.email_index] });
  const ciphertext = await start({ secret: a }).encrypt('token', { context });
  expect(await client.rewrap(ciphertext)).toMatchObject({ keyVersion: 2, rewrapped: true });
});

test('no sealed material of another secret has the same salt', () => {
  const saltOf = (last: string) => keysOfSecrets([a, last]).keys[0]?.versions[1]?.sealed?.slice(8, 40);
  expect(saltOf(b)).not.toBe(saltOf(c));
});

test('keys are derived without random bytes, which Workers do not have before the first request', () => {
  const drawing = [vi.spyOn(crypto, 'getRandomValues'), vi.spyOn(crypto, 'randomUUID')];
  expect(createLocalService({ secret: a }).keyId).toMatch(/^.{14}8.{4}[89ab]/);
  expect(drawing.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  drawing.forEach((each) => each.mockRestore());
});

const asking = /is the first secret missing, or its place changed\?/;

test('a value under another key asks for the first secret', async () => {
  const value = await start({ secret: [a, b] }).encrypt('token', { context });
  for (const secret of [b, [b, a]]) {
    await expect(start({ secret }).decrypt(value, { context })).rejects.toThrow(asking);
  }
});

test('EAAS_KEY_ID must be the id of the first secret', () => {
  vi.stubEnv('EAAS_KEY_ID', createLocalService({ secret: a }).keyId.toUpperCase());
  expect(() => createLocalService({ secret: [a, b] })).not.toThrow();
  expect(() => createLocalService({ secret: [b, a] })).toThrow(asking);
  vi.stubEnv('EAAS_KEY_ID', '');
  expect(() => createLocalService({ secret: b })).not.toThrow();
});

test('cannot change: what needs a second secret, a file or a server says so', async () => {
  const client = start({ secret: a });
  const key_id = createLocalService({ secret: a }).keyId;
  const message = expect.stringMatching(/people .*a server.* a second secret, .*`current: 1`/) as string;
  const refused = { code: 'not_found', message };
  await expect(client.keys.rotate(key_id)).rejects.toMatchObject(refused);
  await expect(client.encrypt('x', { context, subject: '42' })).rejects.toMatchObject(refused);
});

/** As real `.env.example` files and pages have them, and two in other forms. */
const placeholders = `
  your_32_character_encryption_key your-32-character-encryption-key your_32_char_encryption_key_here
  your-32-char-secret-key-min your-32-byte-encryption-key-for-gdpr-compliance your_random_secret_min_32_chars
  your-super-secret-jwt-token-with-at-least-32-characters-long your-secret-key-here-min-32-chars changeme
  your_super_secret_jwt_key_change_this_in_production your-secure-random-secret-here generate_a_new_key CAFEBABE
  change-me-32-chars-minimum-secret change-this-in-production change_this_secret_in_production
  change-me-to-a-secure-random-secret dev-encryption-key-32-chars-min dev_encryption_key_32_characters
  dev-encryption-key-change-in-production development-encryption-key-change-in-production mysecretkey
  dev_fernet_key_base64_encoded_replace_in_production mysecretkeyqwertyuiopasdfghjklzxcvbnm
  my-secret-key-at-least-32-characters-long mynameisShubhamOswalmynameisShubhamOswal 1234567890123456
  test-secret-that-is-at-least-32-bytes sculpt_aesthetics_nextauth_secret_key_2026_super_secure
  ${'0'.repeat(64)} ${'0'.repeat(63)}1 ${'a'.repeat(32)} ${'A'.repeat(43)}= abcdefabcdefabcdefabcdefabcdef12
  0123456789abcdef0123456789abcdef 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
  ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdef 0123456789ABCDEF0123456789ABCDEF 01234567890123456789012345678901 12345678901234567890123456789012
  1234567890abcdef1234567890abcdef abcdef1234567890abcdef1234567890abcdef1234567890abcdef1234567890
  abcdefghijklmnopqrstuvwxyz123456 abcdefghijklmnopqrstuvwx123456789012 a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6
  a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0c1d2e3f4a5b6c7d8e9f0 MDEyMzQ1Njc4OUFCQ0RFRjAxMjM0NTY3ODlBQkNERUY=
  a1b2c3d4e5f6789012345678901234567890abcdef1234567890abcdef123456
  f3e2d1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e2
  ChangeThisToARandomSecretInProduction2026 CHANGE_ME REPLACE_ME supersecret openssl-rand-base64-32
  MyVerySecretKeyForTheProductionServer1 DEADBEEFDEADBEEFDEADBEEFDEADBEEF ${'x'.repeat(32)}
  ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdef abcdefghijklmnopqrstuvwxyz/ABCDEF ZYXWVUTSRQPONMLKJIHGFEDCBA/zyxwvu
  deadbeefcafebabedeadbeeffeedface MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY= MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=
  Y2hhbmdlLW1lLWluLXByb2R1Y3Rpb24tcGxlYXNlLTE= 6368616e67652d6d652d696e2d70726f64756374696f6e2d706c656173652d31`
  .trim()
  .split(/\s+/);

describe('a secret', () => {
  /** What people type along: rows of letters and digits, both ways, with another character between, and each from any place. */
  const alphabets = ['0123456789', 'abcdef', 'abcdefghijklmnopqrstuvwxyz'];
  const typed = alphabets.flatMap((alphabet) =>
    [alphabet, Array.from(alphabet).toReversed().join('')].flatMap((row) =>
      [0, 3, 7].flatMap((from) => {
        const run = row.repeat(4).slice(from, from + 10);
        const between = Array.from(run, (character, at) => character + 'q7Xk2Vw9'.charAt(at % 8)).join('');
        return [run, between, `q${between}`];
      }),
    ),
  );
  const forms = [(text: string) => text, (text: string) => text.toUpperCase()];
  const runsInText = typed.flatMap((text) =>
    forms.map((form) => `${form(text)}/Qz7Kp2Wm9Xr4Tn6Yb3Lc8Vd5Hf1Js`),
  );

  test.each(runsInText)('that has the run %s is refused', (secret) => {
    expect(() => secretsIn(secret)).toThrow(/^secret 1 of .* \(got a word such as `change`, a run,/);
  });

  test('that differs from those only by having no run is accepted', () => {
    expect(secretsIn('Rk2/Qz7Kp2Wm9Xr4Tn6Yb3Lc8Vd5Hf1Js')).toHaveLength(1);
  });

  test.each([
    ['-hex 16', (bytes: Buffer) => bytes.toString('hex', 0, 16)],
    ['-hex 32', (bytes: Buffer) => bytes.toString('hex')],
    ['-base64 24', (bytes: Buffer) => bytes.toString('base64', 0, 24)],
    ['-base64 32', (bytes: Buffer) => bytes.toString('base64')],
    ['-base64 32, as base64url', (bytes: Buffer) => bytes.toString('base64url')],
    ['-hex 32, in capital letters', (bytes: Buffer) => bytes.toString('hex').toUpperCase()],
  ])('that openssl rand %s printed is accepted', (name, textOf) => {
    // A hundredth of them in `npm test`.
    const texts = Array.from({ length: runs(runs(100_000)) }, (_, at) => textOf(drawn(`${name} ${at}`)));
    expect(texts.filter((text) => attempt(() => secretsIn(text)) === undefined)).toEqual([]);
  });

  test.each(placeholders)('that is the placeholder %s is refused, and not quoted', (secret) => {
    expect(() => createLocalService({ secret })).toThrow(/^secret 1 of .* make it by `openssl rand -hex 32`/);
    expect(() => createLocalService({ secret })).not.toThrow(secret);
  });

  test.each<[LocalServiceOptions, RegExp]>([
    [{ secret: undefined }, /is the variable set\? \(got undefined\)/],
    [{ secret: '' }, /\(got an empty string\)/],
    [{ secret: [] }, /\(got an Array\)/],
    [{ secret: [a, undefined as unknown as string] }, /secret 2 .*\(got undefined: is its variable set\?\)/],
    // eslint-disable-next-line no-sparse-arrays -- a hole
    [{ secret: [a, , b] as string[] }, /secret 2 .*\(got undefined: is its variable set\?\)/],
    [{ secret: [a, b, a] }, /secret 3 .*\(got the same as an earlier one\)/],
    [{ secret: ` ${a}` }, /without quotes or white space/],
    [{ secret: `${a}\n` }, /without quotes or white space/],
    [{ secret: `${a}\r\n` }, /without quotes or white space/],
    [{ secret: [[a]] as unknown as string[] }, /\(got an Array\)/],
    [{ secret: new Uint8Array(32) as unknown as string }, /\(got a Uint8Array of 32 bytes\)/],
    [{ secret: `"${a}"` }, /\(got text that begins with `"`\)/],
    [{ secret: a.slice(33) }, /at least 32 hexadecimal digits/],
    [{ secret: `${a}z` }, /\(got another string\)/],
    [{ secret: [a, b], current: 3 }, /`current` must be at most 2, the last secret \(got 3\)/],
    [{ secret: a, current: 0 }, /`current` of `createLocalService` must be an integer of at least 1/],
    [{ current: 1 }, /`current` needs `secret`/],
    [{ secret: a, sealed: 'x' } as object, /pass either `file`, `sealed` or `secret`/],
    [{ secret: a, file: 'x' } as object, /pass either `file`, `sealed` or `secret`/],
  ])('that is wrong is refused, and not quoted: %#', (options, message) => {
    expect(() => createLocalService(options)).toThrow(message);
    expect(() => createLocalService(options)).not.toThrow(a.slice(33, 43));
    // @ts-expect-error: the keys are in one place
    void ((): unknown => createLocalService({ secret: a, sealed: '' }));
  });
});
