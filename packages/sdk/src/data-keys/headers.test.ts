import { FormatError } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { createHeaderReader } from './headers.ts';

/** Returns an envelope whose wrapped key has 78 bytes: 40 times the byte `first`, and 38 times the byte `last`. */
function envelopeOf(first: number, last: number): Uint8Array {
  const wrappedKey = new Uint8Array(78).fill(last).fill(first, 0, 40);
  const keyId = new Uint8Array(16).fill(7);
  const rest = new Uint8Array(64);
  return Uint8Array.of(0x79, 0xa6, 0xac, 1, ...keyId, 0, 0, 0, 1, 0, 78, ...wrappedKey, ...rest);
}

test('reading distinguishes envelope headers with equal last bytes', () => {
  const read = createHeaderReader(10);
  const places = [1, 2, 1, 2, 1].map((first, at) => ({ first, last: at === 2 ? 8 : 9 }));
  for (const { first, last } of [...places, ...places]) {
    const { wrappedKey } = read(envelopeOf(first, last)).header;
    expect([wrappedKey[0], wrappedKey[77]]).toEqual([first, last]);
  }
});

test('reading a known envelope header returns the same object, and reading a truncated header throws', () => {
  const read = createHeaderReader(10);
  const [one, other] = [envelopeOf(1, 1), envelopeOf(2, 2)];
  const known = read(one);
  read(other);
  expect(read(one.slice())).toBe(known);
  expect(() => read(one.subarray(0, known.header.length - 1))).toThrow(FormatError);
});

test('the headers that were read last stay known, when there are more than the limit', () => {
  const read = createHeaderReader(2);
  const [one, two, three] = [envelopeOf(1, 1), envelopeOf(2, 2), envelopeOf(3, 3)];
  const [first, second] = [read(one), read(two)];
  expect(read(one)).toBe(first);
  read(three);
  expect(read(one)).toBe(first);
  expect(read(two)).not.toBe(second);
});
