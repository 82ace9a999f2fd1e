import { afterEach, beforeEach, vi } from 'vitest';

/** Retries in the tests of the calling block or file do not wait, because the wait is a random part of the backoff. */
export function retryAtOnce(): void {
  let spy: ReturnType<typeof vi.spyOn>;
  beforeEach(() => {
    spy = vi.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => spy.mockRestore());
}
