import { type CipherGCM, createCipheriv, createHmac, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { FormatError, InputError } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { joined, type JoinedOptions, type JoinedPart } from './joined.ts';

const [key, otherKey, macKey] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const byHand: JoinedOptions = { key, parts: ['iv', 'tag', 'ciphertext'], separator: ':', encoding: 'hex' };
const cbc: JoinedOptions = { key, parts: ['iv', 'ciphertext'], encoding: 'base64', cipher: 'aes-256-cbc' };

/** Writes a value under `key` as apps do, with `node:crypto`. */
function write(
  text: string | Uint8Array,
  format: JoinedOptions,
  ivLength: number = format.ivLength ?? 12,
): string {
  const isGcm = (format.cipher ?? 'aes-256-gcm') === 'aes-256-gcm';
  const iv = randomBytes(isGcm ? ivLength : 16);
  const cipher = createCipheriv(isGcm ? 'aes-256-gcm' : 'aes-256-cbc', key, iv) as unknown as CipherGCM;
  let ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
  const mac = () =>
    format.macKey ? createHmac('sha256', macKey).update(iv).update(ciphertext).digest() : '';
  const tag = isGcm ? cipher.getAuthTag() : Buffer.from(mac());
  if (!format.parts.includes('tag')) ciphertext = Buffer.concat([ciphertext, tag]);
  const pieces = format.parts.map((part) => ({ iv, tag, ciphertext })[part]);
  const { separator, encoding, prefix = '' } = format;
  const whole = separator === undefined ? [Buffer.concat(pieces)] : pieces;
  return prefix + whole.map((piece) => piece.toString(encoding)).join(separator);
}

test('every order, encoding, separation and prefix is read, but not under another key or prefix', () => {
  const parts: JoinedPart[][] = ['ic', 'ci', 'itc', 'ict', 'tic', 'tci', 'cit', 'cti'].map((order) =>
    Array.from(order, (letter) => (letter === 'i' ? 'iv' : letter === 't' ? 'tag' : 'ciphertext')),
  );
  const format = fc.record({
    parts: fc.constantFrom(...parts),
    separator: fc.constantFrom(undefined, ':', '.', '$', '||', ' '),
    encoding: fc.constantFrom('hex', 'base64', 'base64url'),
    prefix: fc.constantFrom(undefined, '', 'enc:v1:', '$', 'é🔑'),
  });
  const hmac: Partial<JoinedOptions> = { cipher: 'aes-256-cbc-hmac', macKey };
  const suite = fc.constantFrom<Partial<JoinedOptions>>({}, { ivLength: 12 }, { ivLength: 16 }, hmac);
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '\ufeff', 'enc:v1:00:11', '::', 'x'.repeat(16)),
  );
  fc.assert(
    fc.property(format, suite, text, (shape, more, plaintext) => {
      const options: JoinedOptions = { key, ...shape, ...more };
      const stored = write(plaintext, options);
      expect(joined(options)(stored)).toBe(plaintext);
      expect(joined({ ...options, key: [otherKey, key] })(stored)).toBe(plaintext);
      const wrong = { ...options, key: otherKey, ...(more.macKey && { macKey: otherKey }) };
      expect(() => joined(wrong)(stored)).toThrow(FormatError);
      expect(() => joined({ ...options, prefix: 'enc:v2:' })(stored)).toThrow(FormatError);
      expect(() => joined(options)(`x${stored}`)).toThrow(FormatError);
    }),
    { numRuns: runs(2_000) },
  );
});

test('with a separator, an iv has 12 or 16 bytes unless the option says which', () => {
  for (const length of [12, 16]) expect(joined(byHand)(write('x', byHand, length))).toBe('x');
  for (const length of [8, 13, 15, 17, 32])
    expect(() => joined(byHand)(write('x', byHand, length))).toThrow(FormatError);
  expect(() => joined({ ...byHand, ivLength: 12 })(write('x', byHand, 16))).toThrow(FormatError);
});

test('CBC alone requires valid UTF-8, so a token is not read under a wrong key', () => {
  expect(() => joined(cbc)(write(Buffer.from('ff', 'hex'), cbc))).toThrow(FormatError);
  const read = joined({ ...cbc, key: otherKey });
  const token = 'ghp_0123456789'.repeat(5);
  for (let at = 0; at < runs(5_000); at++) expect(() => read(write(token, cbc))).toThrow(FormatError);
  expect(joined({ ...cbc, key: [otherKey, key] })(write(token, cbc))).toBe(token);
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
  ['a tag for CBC alone', { cipher: 'aes-256-cbc' }, /do not fit aes-256-cbc/],
  ['a MAC key for GCM', { macKey }, /do not fit aes-256-gcm/],
])('%s is an InputError', (_, options, message) => {
  const make = () => joined({ ...byHand, ...options });
  expect(make).toThrow(InputError);
  expect(make).toThrow(message);
});
