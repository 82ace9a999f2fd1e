import { FormatError, InputError } from '@eaas/protocol';
import { vectors } from '@eaas/test-kit/vectors';
import { expect, test } from 'vitest';
import { betterAuth, cloak, fernet, laravel, n8n, opensslSalted, typeormEncrypted } from './libraries.ts';
import { asIs, firstOf } from './reader.ts';

const key = '7f'.repeat(32);
const cloakKey = `k1.aesgcm256.${'A'.repeat(43)}=`;
const typeorm = (options: object) => typeormEncrypted({ algorithm: 'aes-256-gcm', ...options } as never);

test.each<[string, () => unknown, RegExp]>([
  ['no secret', () => betterAuth({}), /^each secret of `betterAuth` must be .* \(got undefined\)/],
  ['a key of cloak, no head', () => cloak('A'.repeat(43)), /^each key of `cloak` .*\(got another text\)$/],
  ['a short key of cloak', () => cloak(cloakKey.replace('AAAA', '')), /\(got 29 bytes\)/],
  ['no passphrase', () => opensslSalted(''), /^each passphrase of `opensslSalted` .*\(got an empty string\)/],
  ['a key of n8n in base64', () => n8n('A'.repeat(43)), /must be 64 hex digits \(got another text\)/],
  ['no key of cloak', () => cloak([]), /^the argument of `cloak` must not be an empty list/],
  ['a key of Fernet in hex', () => fernet(key), /\(got 48 bytes\)/],
  ['a key of Laravel without its head', () => laravel('A'.repeat(44)), /^each key .* 16 or 32 .* text\)$/],
  ['a text as a key of typeorm', () => typeorm({ key }), /^`key` .* 32 bytes, .*\(got a string\)$/],
])('%s is an InputError, which quotes nothing', (_, make, message) => {
  expect(make).toThrow(InputError);
  expect(make).toThrow(message);
  expect(make).not.toThrow(/AAAA|7f7f/);
});

test('a column with values of Better Auth, of cloak and plaintext has one reader', () => {
  const found = (name: string) => vectors('formats').cases.find((each) => each.name === name);
  const [bare, cloaked] = [found('Better Auth, bare hex, a token'), found('cloak, a token')];
  const { keys = [] } = (cloaked?.options ?? {}) as { keys?: string[] };
  const strict = firstOf(betterAuth(bare?.options ?? {}), cloak(keys));
  const plain = ['ya29.plain', 'deadbeef', '$ba$1$00', 'v1.aesgcm256.', 'ab'.repeat(60), ''];
  for (const text of plain) expect(() => strict(text)).toThrow(FormatError);
  const all = [bare?.stored, cloaked?.stored, ...plain];
  expect(all.map(firstOf(strict, asIs))).toEqual([bare?.plaintext, cloaked?.plaintext, ...plain]);
});

test('what `openssl enc -md md5 -base64 -A` wrote is read under one of the passphrases, in one spelling', () => {
  const stored = 'U2FsdGVkX18AESIzRFVmd2zkz4xVH2gqyekUKZaLPkw=';
  expect(opensslSalted(['another', 'a passphrase'])(stored)).toBe('ya29.a0AfB');
  for (const other of [stored.slice(4), `${stored}\n`, stored.replace('U2Fsd', 'U2FsD'), 'U2FsdGVkX18=']) {
    expect(() => opensslSalted('a passphrase')(other)).toThrow(FormatError);
  }
});
