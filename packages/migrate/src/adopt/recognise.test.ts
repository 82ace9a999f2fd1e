import { type CipherGCM, createCipheriv, createHash, createHmac, randomBytes, scryptSync } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { FormatError } from '@eaas/protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import * as formats from '../formats/index.ts';
import { looksEncrypted, recogniser } from './recognise.ts';

const hex = randomBytes(32).toString('hex');
const keys: Readonly<Record<string, readonly [text: string, key: Buffer]>> = {
  keyFromHex: [hex, Buffer.from(hex, 'hex')],
  keyFromBase64: [Buffer.from(hex, 'hex').toString('base64'), Buffer.from(hex, 'hex')],
  keyFromUtf8: [hex.slice(0, 32), Buffer.from(hex.slice(0, 32))],
  keyFromSha256: ['a passphrase', createHash('sha256').update('a passphrase').digest()],
  keyFromScrypt: ['a passphrase', scryptSync('a passphrase', "Ada's salt", 32)],
};
const salt = { variable: 'SALT', text: "Ada's salt" };
const recognisers = new Map(
  Object.entries(keys).map(([maker, [text]]) => [maker, recogniser([{ variable: 'OLD', text }], salt)]),
);
const stranger = recogniser([{ variable: 'OTHER', text: 'another passphrase' }], salt);

const shape = fc.record({
  maker: fc.constantFrom(...Object.keys(keys)),
  order: fc.constantFrom('ic', 'ci', 'itc', 'ict', 'tic', 'tci', 'cit', 'cti'),
  separator: fc.constantFrom(undefined, ':', '.', '$', '|'),
  encoding: fc.constantFrom('hex', 'base64', 'base64url'),
  prefix: fc.constantFrom('', 'enc:v1:', 'v1.', 'simenc:v1:'),
  suite: fc.constantFrom<'gcm12' | 'gcm16' | 'hmac'>('gcm12', 'gcm16', 'hmac'),
  text: fc.string({ minLength: 1, maxLength: 60 }),
});

test('the format of every hand-written shape is found under its key, with the code of its reader, and under no other key', () => {
  fc.assert(
    fc.property(shape, ({ maker, order, separator, encoding, prefix, suite, text }) => {
      const key = keys[maker]?.[1] ?? Buffer.alloc(0);
      const iv = randomBytes(suite === 'gcm12' ? 12 : 16);
      const gcm = createCipheriv('aes-256-gcm', key, iv);
      const cipher = suite === 'hmac' ? createCipheriv('aes-256-cbc', key, iv) : gcm;
      let ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
      const mac = createHmac('sha256', key).update(iv).update(ciphertext).digest();
      const tag = suite === 'hmac' ? mac : gcm.getAuthTag();
      if (!order.includes('t')) ciphertext = Buffer.concat([ciphertext, tag]);
      const parts = Array.from(order, (letter) => (letter === 'i' ? iv : letter === 't' ? tag : ciphertext));
      const pieces = separator === undefined ? [Buffer.concat(parts)] : parts;
      const stored = prefix + pieces.map((piece) => piece.toString(encoding)).join(separator);

      const restsOnFirstIv = suite === 'hmac' && separator === undefined && order.includes('ic');
      const found = recognisers.get(maker)?.([stored], restsOnFirstIv ? 'iv-first' : 'proven');
      expect(found?.result(stored)).toBe(text);
      expect(found?.code).toContain(`${maker}(process.env.OLD ?? ''`);
      const app = { ...formats, process: { env: { OLD: keys[maker]?.[0], SALT: salt.text } } };
      const read = runInNewContext(String(found?.code), app) as formats.Reader;
      expect(read(stored)).toBe(text);
      expect(stranger([stored], 'proven')).toBeUndefined();
      const isRunAfterPrefix = separator === undefined && prefix !== '' && encoding === 'base64url';
      expect(looksEncrypted(stored) || isRunAfterPrefix).toBe(true);
    }),
    { numRuns: runs(300) },
  );
});

/** As PHP's `openssl_encrypt` and Laravel's Encrypter write a value. */
function laravelOf(text: string, cipher: string, key: Buffer): string {
  const nonce = randomBytes(cipher.endsWith('gcm') ? 12 : 16);
  const sealing = createCipheriv(cipher, key, nonce) as CipherGCM;
  const iv = nonce.toString('base64');
  const value = sealing.update(text, 'utf8', 'base64') + sealing.final('base64');
  const signing = createHmac('sha256', key).update(iv + value);
  const mac = cipher.endsWith('gcm') ? '' : signing.digest('hex');
  const tag = cipher.endsWith('gcm') ? sealing.getAuthTag().toString('base64') : '';
  return Buffer.from(JSON.stringify({ iv, value, mac, tag })).toString('base64');
}

test.each(['aes-256-cbc', 'aes-256-gcm', 'aes-128-cbc', 'aes-128-gcm'])(
  'a payload of Laravel under %s is read with APP_KEY, and no byte of it can be altered',
  (cipher) => {
    const key = randomBytes(cipher.includes('256') ? 32 : 16);
    const APP_KEY = [randomBytes(32), key].map((each) => `base64:${each.toString('base64')}`).join();
    const recognise = recogniser([{ variable: 'APP_KEY', text: APP_KEY }]);
    const serialized = 's:8:"caf\u00e9";s";';
    for (const plain of ['ya29.a0', '', 's:4:"five!";', serialized]) {
      const read = plain === serialized ? 'caf\u00e9";s' : plain;
      const stored = laravelOf(plain, cipher, key);
      const found = recognise([stored], 'open');
      expect([found?.result(stored), looksEncrypted(stored)]).toEqual([read, true]);
      expect(found?.result.name).toBe(read === plain ? 'Laravel' : 'Laravel, serialized');
      const app = { ...formats, process: { env: { APP_KEY } } };
      expect(runInNewContext(String(found?.code), app)(stored)).toBe(read);
      expect(stranger([stored], 'open')).toBeUndefined();
      for (const at of Buffer.from(stored, 'base64').keys()) {
        const altered = Buffer.from(stored, 'base64');
        altered[at] = (altered[at] ?? 0) ^ 1;
        expect(() => found?.result(altered.toString('base64'))).toThrow(FormatError);
      }
    }
  },
);

test.each([
  'ya29.a0AfB_byDbcdefghijklmnopqrstuvwxyz',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  'hunter2',
  'Ada Lovelace',
  'ada@example.com',
  'a plain-name with-hyphens',
  '{name}, hello',
  '',
])('the plaintext %s has no form of a ciphertext', (token) => {
  expect(looksEncrypted(token)).toBe(false);
});

test.each([
  'eaasB',
  `$ba$2$${hex}`,
  'v1.aesgcm256.01234567.x.y',
  'gAAAAABk',
  `old:${hex}`,
  `${hex.slice(32)}-${hex}`,
  Buffer.from('{"value":"","iv":""}  ').toString('base64'),
  `${'Ab+/'.repeat(11)}Q==`,
  '6f2c1ad0a5f7a2d3b4c5d6e7f8091a2b3c4d5e6f',
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  `${'Abcd'.repeat(16)}\n${'Abcd'.repeat(9)}`,
  '\\xc30d04',
  '{"iv":"00","data":"ff"}',
  ' [1, 2]\n',
  'x9Kp',
])('what begins like %s, or is only hex, base64 or JSON, can be a ciphertext', (text) => {
  expect(looksEncrypted(text)).toBe(true);
});
