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
