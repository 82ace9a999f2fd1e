// The vectors, which the libraries themselves wrote, and what all readers have in common.
import * as fc from 'fast-check';
import { FormatError } from '@eaas/protocol';
import { field, plaintext } from '@eaas/sdk/fields';
import { expect, type Mock, test, vi } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { type VectorFile, vectors } from '@eaas/test-kit/vectors';
import * as entry from './index.ts';
import type { Reader } from './index.ts';

const { keys, cases, refusals } = vectors('formats');
const formats = { ...entry };

type Value = VectorFile<'formats'>['refusals'][number];
type Hex = Readonly<Record<'key_hex' | 'mac_key_hex', string>>;

function readerOf({ reader, options }: Value, change = (given: object): unknown => given): Reader {
  const { keys: texts, key_hex, mac_key_hex, ...rest } = options as { keys?: string[] } & Partial<Hex>;
  const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
  const macKey = mac_key_hex && { macKey: bytes(mac_key_hex) };
  const key = key_hex && { key: key_hex.split(' ').map(bytes) };
  return (formats[reader] as (given: unknown) => Reader)(change(texts ?? { ...rest, ...key, ...macKey }));
}

const messageOf = (read: Reader, stored: unknown): string => {
  try {
    return `no error: ${typeof read(stored)}`;
  } catch (error) {
    return error instanceof FormatError && error.cause === undefined ? error.message : 'another error';
  }
};
const message = (read: Reader): string =>
  `the stored value cannot be read as ${read.name}: it is of another format, was cut short or altered, or is under another key`;

test.each(keys)('a key is derived as in the test vector: $name', ({ from, arguments: given, key_hex }) => {
  const derive = formats[from.replace('from', 'keyFrom') as 'keyFromHex'] as (
    ...all: readonly unknown[]
  ) => Uint8Array;
  expect(Buffer.from(derive(...given)).toString('hex')).toBe(key_hex);
});

test.each(cases)('a reader reads $name, also with keys of functions, called at the first value', (value) => {
  const eager = readerOf(value);
  expect(eager(value.stored)).toBe(value.plaintext);
  const keyed: Mock[] = [];
  const lazy = (given: unknown) => keyed[keyed.push(vi.fn(() => given)) - 1];
  const inOptions = (given: object) =>
    Object.entries(given).map(([name, each]) => [name, /key$/i.test(name) ? lazy(each) : each]);
  const read = readerOf(value, (given) =>
    'key' in given ? Object.fromEntries(inOptions(given)) : lazy(given),
  );
  const calls = () => keyed.map(({ mock }) => mock.calls.length);
  expect([read.isAuthenticated, ...calls()]).toEqual([eager.isAuthenticated, ...keyed.map(() => 0)]);
  for (let at = 0; at < 2; at++) {
    expect([read(value.stored), ...calls()]).toEqual([value.plaintext, ...keyed.map(() => 1)]);
  }
  expect(keyed).not.toEqual([]);
});

test('a key that is missing at the first value is no FormatError, so nothing is taken for plaintext', () => {
  const { joined, keyFromHex, firstOf, asIs } = formats;
  const read = joined({ key: () => keyFromHex(''), parts: ['iv', 'ciphertext'], encoding: 'hex' });
  expect(() => firstOf(read, asIs)('stored')).toThrow('is its variable set?');
});

test.each(refusals)('a reader refuses the test vector: $name', (value) => {
  const read = readerOf(value);
  expect(messageOf(read, value.stored)).toBe(message(read));
});

// One value of each reader with its options.
const samples = [
  ...new Map(cases.map((value) => [JSON.stringify([value.reader, value.options]), value])).values(),
];

test('a reader tells its format and whether it is authenticated, and is for `previous` of a field', () => {
  const readers = samples.map((value) => readerOf(value));
  const of = (isAuthenticated: boolean): string[] =>
    readers.filter((read) => read.isAuthenticated === isAuthenticated).map(({ name }) => name);
  expect(of(false)).toEqual(['aes-256-cbc iv:ciphertext in hex', 'typeorm-encrypted']);
  const some = ['aes-256-gcm ciphertext‖tag‖iv in hex', 'Better Auth', '@47ng/cloak', 'Fernet'];
  expect(of(true)).toEqual(expect.arrayContaining(some));
  for (const read of readers) expect(field.text({ previous: plaintext(read) }).previous).toEqual({ read });
});

const other = fc.constantFrom(...Array.from('0Ag=.:$-_+/ \n\u0130é'), '', '\ud800');

test.each(samples)('what is no text, or altered, is refused by the reader of: $name', (value) => {
  const read = readerOf(value);
  const { stored } = value;
  for (const no of [
    null,
    undefined,
    7,
    7n,
    true,
    [stored],
    Buffer.from(stored),
    Object(stored),
    Symbol('x'),
  ]) {
    expect(messageOf(read, no)).toBe(message(read));
  }
  if (!read.isAuthenticated) return;
  const place = fc.nat(stored.length);
  const altered = fc.oneof(
    fc.tuple(place, place, other).map(([from, to, text]) => stored.slice(0, from) + text + stored.slice(to)),
    fc.tuple(place, fc.string({ unit: 'binary' })).map(([at, text]) => stored.slice(at) + text),
  );
  const isSame = (text: string): boolean => text.replaceAll('=', '') === stored.replaceAll('=', '');
  const refused = (text: string): void => {
    expect(isSame(text) ? message(read) : messageOf(read, text)).toBe(message(read));
  };
  fc.assert(fc.property(altered, refused), { numRuns: runs(1_000) });
});
