import { createHash, createHmac, createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmacSha256 } from './hmac.ts';

const keyOf = (bytes: Uint8Array) => createSecretKey(bytes);

test('the MACs of several messages under one key equal the MACs that node:crypto computes', () => {
  const messages = fc
    .nat(200)
    .chain((length) =>
      fc.array(fc.uint8Array({ minLength: length, maxLength: length }), { minLength: 1, maxLength: 3 }),
    );
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), messages, (key, messages) => {
      const hmac = hmacSha256(keyOf(key), messages[0]?.length ?? 0);
      for (const message of messages) {
        const expected = createHmac('sha256', key).update(message).digest();
        hmac.message.set(message);
        expect(hmac.digest()).toEqual(expected);
        expect(hmac.digestText()).toBe(expected.toString('latin1'));
      }
    }),
  );
});

test('`wipe` overwrites the message and both padded copies of the key', () => {
  const hmac = hmacSha256(keyOf(Buffer.alloc(32, 1)), 3);
  hmac.message.write('abc');
  hmac.wipe();
  expect(hmac.message).toEqual(Buffer.alloc(3));
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(Buffer.alloc(64)).update(bytes).digest();
  expect(hmac.digest()).toEqual(sha256(sha256(Buffer.alloc(3))));
});

test('the exported bytes of the key are overwritten', () => {
  const bytes = Buffer.alloc(32, 1);
  const key = Object.assign(keyOf(bytes), { export: () => bytes });
  hmacSha256(key, 3);
  expect(bytes).toEqual(Buffer.alloc(32));
});

test('a key of more than 64 bytes is refused', () => {
  expect(() => hmacSha256(keyOf(Buffer.alloc(65)), 1)).toThrow(RangeError);
});
