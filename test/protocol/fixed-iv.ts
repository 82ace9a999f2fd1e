import { vi } from 'vitest';
import { randomIv } from '../../packages/protocol/src/bytes.ts';

export function withIv<T>(iv: Uint8Array, run: () => T): T {
  const isFixed = (): boolean => Buffer.from(randomIv()).equals(iv);
  const random = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    const bytes = array as unknown as Uint8Array;
    for (let at = 0; at < bytes.length; at += iv.length) bytes.set(iv, at);
    return array;
  });
  try {
    // The protocol package generates 64 ivs at a time. This loop consumes the random ivs, so that `run` uses `iv`.
    while (!isFixed());
    return run();
  } finally {
    random.mockRestore();
    while (isFixed());
  }
}
