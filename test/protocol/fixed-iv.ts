import { vi } from 'vitest';
import { randomIv } from '../../packages/protocol/src/bytes.ts';

/** Makes this iv the next random iv while the function runs. */
export function withIv<T>(iv: Uint8Array, run: () => T): T {
  const isFixed = (): boolean => Buffer.from(randomIv()).equals(iv);
  const random = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    const bytes = array as unknown as Uint8Array;
    for (let at = 0; at < bytes.length; at += iv.length) bytes.set(iv, at);
    return array;
  });
  try {
    // Random ivs are created in advance. Use up the earlier ones first, and the remaining fixed ones at the end.
    while (!isFixed());
    return run();
  } finally {
    random.mockRestore();
    while (isFixed());
  }
}
