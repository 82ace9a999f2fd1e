import { afterEach, beforeEach, vi } from 'vitest';

/** Retries wait for a random part of the backoff. This mock makes the random part 0, so that tests do not wait. */
export function retryAtOnce(): void {
  let spy: ReturnType<typeof vi.spyOn>;
  beforeEach(() => {
    spy = vi.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => spy.mockRestore());
}
