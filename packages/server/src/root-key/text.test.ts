import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { decodeRootKey, encodeRootKey } from './file.ts';

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

test('a root key is encoded in standard base64 and decoded again', () => {
  const extremes = [Buffer.alloc(32), Buffer.alloc(32, 0xff)];
  for (const key of [...extremes, ...Array.from({ length: 200 }, () => randomBytes(32))]) {
    const text = encodeRootKey(key);
    expect(Buffer.from(text).toString()).toBe(`${key.toString('base64')}\n`);
    expect(decodeRootKey(text)).toEqual(Uint8Array.from(key));
    expect(decodeRootKey(text.subarray(0, 44))).toEqual(Uint8Array.from(key));
  }
});

test('a root key whose base64 has nonzero unused bits is refused', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const accepted = Array.from(letters).filter((letter) =>
    decodeRootKey(bytes(`${'A'.repeat(42)}${letter}=`)),
  );
  expect(accepted.join('')).toBe('AEIMQUYcgkosw048');
});

test('a root key is refused if any character is outside the base64 alphabet', () => {
  const accepted = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter((letter) =>
    decodeRootKey(bytes(`${'A'.repeat(20)}${letter}${'A'.repeat(22)}=`)),
  );
  expect(accepted.join('')).toBe('+/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
});
