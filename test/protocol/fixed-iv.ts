import { vi } from 'vitest';
import { randomIv } from '../../packages/protocol/src/bytes.ts';

/** Runs a function. During its run, every random iv equals the given iv. */
export function withIv<T>(iv: Uint8Array, run: () => T): T {
  const isFixed = (): boolean => Buffer.from(randomIv()).equals(iv);
  const random = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    const bytes = array as unknown as Uint8Array;
    for (let at = 0; at < bytes.length; at += iv.length) bytes.set(iv, at);
    return array;
  });
  try {
    // The protocol package creates random ivs 64 at a time. The loop uses up the remaining random ivs before the
    // function runs, and the remaining fixed ivs afterwards.
    while (!isFixed());
    return run();
  } finally {
    random.mockRestore();
    while (isFixed());
  }
}
