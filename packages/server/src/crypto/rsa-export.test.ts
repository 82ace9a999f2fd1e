import { constants, privateDecrypt, randomBytes, webcrypto } from 'node:crypto';
import { expect, test } from 'vitest';
import { privateKey, publicKey } from '@eaas/test-kit/rsa-key';
import { encryptTo, importRsaPublicKey, type RsaJwk } from '../operations/export-key.ts';

const jwk = publicKey.export({ format: 'jwk' }) as unknown as RsaJwk;
const secret = randomBytes(32);

test('WebCrypto decrypts an exported key with RSA-OAEP and SHA-256', async () => {
  const rsa = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const key = await webcrypto.subtle.importKey('pkcs8', pkcs8, rsa, false, ['decrypt']);
  const encrypted = Buffer.from(encryptTo(importRsaPublicKey(jwk), secret), 'base64');
  expect(Buffer.from(await webcrypto.subtle.decrypt(rsa, key, encrypted))).toEqual(secret);
});

test('an exported key decrypts only with the right hash and label', () => {
  const encrypted = encryptTo(importRsaPublicKey(jwk), secret);
  expect(encryptTo(importRsaPublicKey(jwk), secret)).not.toBe(encrypted);
  const open = (options: { oaepHash: string; oaepLabel?: Buffer }) =>
    privateDecrypt(
      { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, ...options },
      Buffer.from(encrypted, 'base64'),
    );
  expect(open({ oaepHash: 'sha256' })).toEqual(secret);
  expect(() => open({ oaepHash: 'sha1' })).toThrow('oaep decoding error');
  expect(() => open({ oaepHash: 'sha256', oaepLabel: Buffer.of(1) })).toThrow('oaep decoding error');
});

test('a key can be exported encrypted with an RSA public key of 8,192 bits', () => {
  const modulus = randomBytes(1024);
  modulus.writeUInt8(0xff, 0);
  modulus.writeUInt8(0xff, 1023);
  const key = importRsaPublicKey({ n: modulus.toString('base64url'), e: 'AQAB' });
  expect(Buffer.from(encryptTo(key, secret), 'base64')).toHaveLength(1024);
});
