import { expect, test } from 'vitest';
import { decodeRootKey } from './file.ts';

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

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
