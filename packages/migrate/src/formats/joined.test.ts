import { createCipheriv, randomBytes } from 'node:crypto';
import { FormatError, InputError } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { joined, type JoinedOptions } from './joined.ts';

const [key, otherKey, macKey] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const byHand: JoinedOptions = { key, parts: ['iv', 'tag', 'ciphertext'], separator: ':', encoding: 'hex' };
const cbc: JoinedOptions = { key, parts: ['iv', 'ciphertext'], encoding: 'base64', cipher: 'aes-256-cbc' };

/** The iv, the tag and the body of a text that `node:crypto` encrypts under `key`. */
function gcm(text: string, ivLength = 12, authTagLength = 16): readonly Buffer[] {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength });
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return [iv, cipher.getAuthTag(), body];
}
const write = (ivLength: number) =>
  gcm('x', ivLength)
    .map((part) => part.toString('hex'))
    .join(':');

function writeCbc(text: string | Uint8Array): string {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([iv, cipher.update(text), cipher.final()]).toString('base64');
}

test('with a separator, an iv has 12 or 16 bytes unless the option says which', () => {
  for (const length of [12, 16]) expect(joined(byHand)(write(length))).toBe('x');
  for (const length of [8, 13, 15, 17, 32]) expect(() => joined(byHand)(write(length))).toThrow(FormatError);
  expect(() => joined({ ...byHand, ivLength: 12 })(write(16))).toThrow(FormatError);
});

test('CBC alone requires valid UTF-8, so a token is not read under a wrong key', () => {
  expect(() => joined(cbc)(writeCbc(Buffer.from('ff', 'hex')))).toThrow(FormatError);
  const read = joined({ ...cbc, key: otherKey });
  const token = 'ghp_0123456789'.repeat(5);
  for (let at = 0; at < runs(5_000); at++) expect(() => read(writeCbc(token))).toThrow(FormatError);
  expect(joined({ ...cbc, key: [otherKey, key] })(writeCbc(token))).toBe(token);
});

test.each<[string, object, RegExp]>([
  ['an unknown option', { seperator: ':' }, /has no option `seperator`: did you mean `separator`/],
  ['no key', { key: undefined }, /^`key` of `joined` must be 32 bytes.*\(got undefined\)$/],
  ['a key that is a text', { key: 'k'.repeat(32) }, /^`key` of `joined` must be 32 bytes.*\(got a string\)$/],
  ['no ciphertext', { parts: ['iv', 'tag'] }, /^`parts` of `joined` must be a list/],
  ['a part twice', { parts: ['iv', 'iv', 'ciphertext'] }, /^`parts` of `joined` must be a list/],
  ['an empty separator', { separator: '' }, /^`separator` of `joined` must be a text that is not empty/],
  ['no encoding', { encoding: undefined }, /^`encoding` of `joined` must be one of hex, base64, base64url/],
  ['an unknown cipher', { cipher: 'aes-128-gcm' }, /^`cipher` of `joined` must be one of aes-256-gcm/],
  ['an iv of 13 bytes', { ivLength: 13 }, /^`ivLength` of `joined` must be one of 12, 16/],
  ['a tag of 11 bytes', { tagLength: 11 }, /^`tagLength` of `joined` must be one of 12, 13/],
  ['a short tag for CBC', { ...cbc, tagLength: 12 }, /do not fit aes-256-cbc/],
  ['a tag for CTR', { cipher: 'aes-256-ctr' }, /do not fit aes-256-ctr/],
  ['a tag for CBC alone', { cipher: 'aes-256-cbc' }, /do not fit aes-256-cbc/],
  ['a MAC key for GCM', { macKey }, /do not fit aes-256-gcm/],
])('%s is an InputError', (_, options, message) => {
  const make = () => joined({ ...byHand, ...options });
  expect(make).toThrow(InputError);
  expect(make).toThrow(message);
});

test.each([12, 13, 14, 15])('a tag of GCM with %d bytes is checked whole', (tagLength) => {
  const read = joined({ ...byHand, encoding: 'base64', separator: undefined, tagLength: tagLength as 12 });
  for (const text of ['', 'x', 'é'.repeat(50)]) {
    const stored = Buffer.concat(gcm(text, 12, tagLength));
    expect(read(stored.toString('base64'))).toBe(text);
    for (const at of stored.keys()) {
      const altered = Buffer.from(stored);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(() => read(altered.toString('base64'))).toThrow(FormatError);
    }
  }
});
