// What the libraries write today is read. The frozen vectors have what they wrote before.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { betterAuth, cloak, fernet, firstOf, type Reader, typeormEncrypted } from '@eaas/migrate/formats';
import { requireTools } from '@eaas/test-kit/tools';
import { expect, test } from 'vitest';

type Write = (text: string, key: string) => string;
interface Fernet {
  readonly Secret: new (key: string) => object;
  readonly Token: new (options: object) => { readonly encode: (text: string) => string };
}

const load = createRequire(join(await requireTools('packages/migrate/test'), 'formats.cjs'));
const { symmetricEncrypt: encrypted } = (await import(
  pathToFileURL(load.resolve('better-auth/crypto')).href
)) as { symmetricEncrypt: (options: { key: unknown; data: string }) => Promise<string> };
const { encryptStringSync: cloaked } = load('@47ng/cloak') as { encryptStringSync: Write };
const { Secret, Token } = load('fernet') as Fernet;
const { EncryptionTransformer } = load('typeorm-encrypted') as {
  EncryptionTransformer: new (options: object) => { readonly to: (text: string) => string };
};

type Format = readonly [name: string, read: Reader, write: (text: string) => string | Promise<string>];

const bytes = randomBytes(32);
const inBase64 = bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
const cloakKeys = [`k1.aesgcm256.${'A'.repeat(43)}=`, `k1.aesgcm256.${inBase64}`] as const;
const [secret, older] = ['a-secret-of-at-least-32-characters', 'an-older-secret-of-32-characters'];
const secrets = [2, 1].map((version) => ({ version, value: version === 2 ? secret : older }));
const keys = new Map(secrets.map(({ version, value }) => [version, value]));
const versioned = { keys, currentVersion: 1, legacySecret: older };

function typeorm(algorithm: 'aes-256-gcm' | 'aes-256-cbc', ivLength: 12 | 16): Format {
  const column = new EncryptionTransformer({ key: bytes.toString('hex'), algorithm, ivLength });
  const read = typeormEncrypted({ key: bytes, algorithm, ivLength });
  return [`typeorm-encrypted, ${algorithm}, an iv of ${ivLength} bytes`, read, (text) => column.to(text)];
}

const formats: readonly Format[] = [
  ['Better Auth', betterAuth({ secret }), (data) => encrypted({ key: secret, data })],
  ['Better Auth, $ba$', betterAuth({ secret, secrets }), (data) => encrypted({ key: versioned, data })],
  ['@47ng/cloak', cloak(cloakKeys), (text) => cloaked(text, cloakKeys[1])],
  ['fernet', fernet(inBase64), (text) => new Token({ secret: new Secret(inBase64) }).encode(text)],
  typeorm('aes-256-gcm', 16),
  typeorm('aes-256-gcm', 12),
  typeorm('aes-256-cbc', 16),
];

test.each(formats)('what the library writes is read: %s', async (_, read, write) => {
  const every = firstOf(...formats.map((format) => format[1]));
  for (const text of ['ya29.a0AfB_byC', 'ключ 🔑\0', 'x'.repeat(10_000)]) {
    const stored = await write(text);
    expect([read(stored), every(stored)]).toEqual([text, text]);
  }
});
