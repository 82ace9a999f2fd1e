import { FormatError, InputError } from '@eaas/protocol';
import { describe, expect, test } from 'vitest';
import { asIs, firstOf, reader } from './reader.ts';

/** Reads texts with the prefix, as if a ciphertext were a plaintext in small letters. */
const small = (prefix: string, isAuthenticated = true) =>
  reader(`format ${prefix}`, isAuthenticated, (stored) =>
    stored.startsWith(prefix) ? Buffer.from(stored.slice(prefix.length).toUpperCase()) : undefined,
  );
const decrypting = (bytes: Uint8Array) => reader('x', true, () => bytes);
const failing = (error: Error) =>
  reader('x', true, () => {
    throw error;
  });

describe('reader', () => {
  test.each(['\ufeff', '\0', '', '\ufffd', '🔑'])('a text is read as it was encrypted: %j', (text) => {
    expect(decrypting(Buffer.from(text))('stored')).toBe(text);
  });

  test.each(['ff', 'c0af', 'eda080', 'f4908080', 'e282'])(
    'bytes that are not UTF-8 are refused: %s',
    (hex) => {
      expect(() => decrypting(Buffer.from(hex, 'hex'))('stored')).toThrow(FormatError);
    },
  );

  test('too little memory is no FormatError, so no other reader takes the value for its own', () => {
    const error = new RangeError('Array buffer allocation failed');
    expect(() => firstOf(failing(error), asIs)('stored')).toThrow(error);
  });
});

describe('firstOf', () => {
  const read = firstOf(small('a:'), small('b:'), asIs);

  test('a value that no reader can read is refused', () => {
    const strict = firstOf(small('a:'), small('b:'));
    expect(() => strict('c:three')).toThrow(
      /^the stored value cannot be read as format a:, or format b:: it is of/,
    );
    for (const other of [null, Buffer.from('text')]) expect(() => read(other)).toThrow(FormatError);
  });

  test('an error that is no FormatError ends the search', () => {
    const broken = Object.assign((): string => JSON.parse('{'), { isAuthenticated: true });
    expect(() => firstOf(broken, asIs)('stored')).toThrow(SyntaxError);
  });

  test('it is authenticated if all its readers are', () => {
    expect(firstOf(small('a:'), small('b:')).isAuthenticated).toBe(true);
    expect(firstOf(small('a:'), small('b:', false)).isAuthenticated).toBe(false);
    expect(firstOf(firstOf(small('a:'), asIs)).isAuthenticated).toBe(false);
  });

  test('no reader, and `asIs` before others, are InputErrors', () => {
    expect(() => firstOf()).toThrow(InputError);
    expect(() => firstOf(asIs, small('a:'))).toThrow('`asIs` must be the last');
  });
});

test('asIs reads every text as it is, and refuses what is no text', () => {
  for (const text of ['', 'eaasA', 'enc:v1:00', '\ud800', '\ufeff']) expect(asIs(text)).toBe(text);
  for (const other of [null, undefined, 7, {}, Buffer.from('a'), Object('a')]) {
    expect(() => asIs(other)).toThrow(FormatError);
  }
  expect([asIs.name, asIs.isAuthenticated]).toEqual(['plaintext', false]);
});
