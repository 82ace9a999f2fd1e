import { vi } from 'vitest';
import { randomIv } from '../src/bytes.ts';

export function withIv<T>(iv: Uint8Array, run: () => T): T {
  const isFixed = (): boolean => Buffer.from(randomIv()).equals(iv);
  const random = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    const bytes = array as unknown as Uint8Array;
    for (let at = 0; at < bytes.length; at += iv.length) bytes.set(iv, at);
    return array;
  });
  try {
    // The protocol package generates 64 ivs in advance. The loop uses up the random ones, so that `run` gets only the
    // fixed `iv`.
    while (!isFixed());
    return run();
  } finally {
    random.mockRestore();
    while (isFixed());
  }
}
