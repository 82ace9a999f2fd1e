import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sendThrough } from '@eaas/test-kit/streams';
import { nodeEngine } from './engines/node.ts';
import { FormatError, InputError } from './errors.ts';
import { ciphertextSize, plaintextSize, sealStream } from './stream.ts';

const keyId = '00000000-0000-4000-8000-000000000002';
const chunk = 65_536;
const head = 26 + 78 + 32 + 32;
const anySize = fc.oneof(
  fc
    .tuple(fc.constantFrom(0, chunk, 2 * chunk, 3 * chunk), fc.integer({ min: -20, max: 20 }))
    .map(([base, more]) => Math.max(0, base + more)),
  fc.nat(2 ** 52),
);
const anyWrappedKey = fc.option(fc.integer({ min: 1, max: 2_048 }), { nil: undefined });

test.each([0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 2 * chunk + 1])(
  '`ciphertextSize` returns the exact size of a stream of %d bytes',
  async (size) => {
    for (const length of [1, 78, 2_048]) {
      const wrapped = { keyId, keyVersion: 1, wrappedKey: new Uint8Array(length) };
      const stream = sealStream(() => wrapped, { engine: nodeEngine });
      const { content } = await sendThrough(stream, [new Uint8Array(size)]);
      expect(content.length).toBe(ciphertextSize(size, length));
    }
  },
);

test('`plaintextSize` is the inverse of `ciphertextSize`', () => {
  fc.assert(
    fc.property(anySize, anyWrappedKey, (size, wrappedKey) => {
      expect(plaintextSize(ciphertextSize(size, wrappedKey), wrappedKey)).toBe(size);
    }),
  );
});

test.each([0, head, head + 15, head + chunk + 16 + 1, head + chunk + 16 + 16, head + 2 * (chunk + 16) + 5])(
  'a ciphertext of %d bytes is refused, because no stream has this size',
  (size) => {
    expect(() => plaintextSize(size)).toThrow(FormatError);
  },
);

test.each([-1, 0.5, Number.NaN, Infinity, 2 ** 53])(
  '`ciphertextSize` and `plaintextSize` refuse the invalid size %d',
  (size) => {
    expect(() => ciphertextSize(size)).toThrow(InputError);
    expect(() => plaintextSize(size)).toThrow(InputError);
  },
);

test.each([0, 2_049, 1.5])('a wrapped key of %d bytes is refused', (length) => {
  expect(() => ciphertextSize(1, length)).toThrow(InputError);
  expect(() => plaintextSize(1_000, length)).toThrow(InputError);
});
