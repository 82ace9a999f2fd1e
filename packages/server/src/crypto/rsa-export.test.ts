import { constants, generateKeyPairSync, privateDecrypt, randomBytes, webcrypto } from 'node:crypto';
import { expect, test } from 'vitest';
import { encryptTo, importRsaPublicKey, type RsaJwk, thumbprint } from './rsa-export.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 3072 });
const jwk = publicKey.export({ format: 'jwk' }) as unknown as RsaJwk;
const secret = randomBytes(32);

function imported(key: RsaJwk) {
  const publicKey = importRsaPublicKey(key);
  if (!publicKey) throw new Error('not imported');
  return publicKey;
}

test('WebCrypto opens what is encrypted, with RSA-OAEP and SHA-256', async () => {
  const rsa = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const key = await webcrypto.subtle.importKey('pkcs8', pkcs8, rsa, false, ['decrypt']);
  const encrypted = Buffer.from(encryptTo(imported(jwk), secret), 'base64');
  expect(Buffer.from(await webcrypto.subtle.decrypt(rsa, key, encrypted))).toEqual(secret);
});

test('no other hash and no other label open it, and no two encryptions are the same', () => {
  const encrypted = encryptTo(imported(jwk), secret);
  expect(encryptTo(imported(jwk), secret)).not.toBe(encrypted);
  const open = (options: { oaepHash: string; oaepLabel?: Buffer }) =>
    privateDecrypt(
      { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, ...options },
      Buffer.from(encrypted, 'base64'),
    );
  expect(open({ oaepHash: 'sha256' })).toEqual(secret);
  expect(() => open({ oaepHash: 'sha1' })).toThrow('oaep decoding error');
  expect(() => open({ oaepHash: 'sha256', oaepLabel: Buffer.of(1) })).toThrow('oaep decoding error');
});

test('a modulus of 8,192 bits will do, and an even one will not', () => {
  const modulus = randomBytes(1024);
  modulus.writeUInt8(0xff, 0);
  modulus.writeUInt8(0xff, 1023);
  const key = imported({ n: modulus.toString('base64url'), e: 'AQAB' });
  expect(Buffer.from(encryptTo(key, secret), 'base64')).toHaveLength(1024);
  modulus.writeUInt8(0xfe, 1023);
  expect(importRsaPublicKey({ n: modulus.toString('base64url'), e: 'AQAB' })).toBeUndefined();
});

test('the thumbprint is that of RFC 7638, section 3.1', () => {
  const n =
    '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
  expect(thumbprint({ n, e: 'AQAB' })).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
});
