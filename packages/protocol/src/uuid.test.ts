import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { InputError } from './errors.ts';
import { parseUuid, uuidFromBytes, uuidToBytes } from './uuid.ts';

const id = '0123abcd-4567-89ab-cdef-0123456789ab';

test('a UUID can be in upper or lower case, and is returned in lower case', () => {
  expect(parseUuid(id)).toBe(id);
  expect(parseUuid(id.toUpperCase())).toBe(id);
});

test.each([
  '',
  id.replaceAll('-', ''),
  `${id}\n`,
  id.replace('a', 'g'),
  id.replace('a', '\u0430'),
  id.replaceAll('-', '\u2010'),
  '0123abcd4-567-89ab-cdef-0123456789ab',
])('text that is not a UUID of 36 characters is refused: %j', (text) => {
  expect(parseUuid(text)).toBeUndefined();
  expect(() => uuidToBytes(text)).toThrow(InputError);
});

test('16 bytes and their UUID convert into each other', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const text = uuidFromBytes(bytes);
      expect(parseUuid(text)).toBe(text);
      expect(uuidToBytes(text)).toEqual(bytes);
    }),
  );
});
