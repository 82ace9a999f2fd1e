import { describe, test } from 'vitest';
import { engines } from '../test/engines.ts';
import { expectBothWays } from '../test/stream-vector.ts';
import { vectors } from '@eaas/test-kit/vectors';

const large = vectors('envelope-v2').cases.filter(({ ciphertext_length: length }) => length >= 1 << 20);

describe.each(engines)('the envelope, version 2, with $name', (engine) => {
  test.each(large)(
    'encryption gives the envelope of the vector, and decryption gives its plaintext: $name',
    async (vector) => {
      await expectBothWays(engine, vector);
    },
  );
});
