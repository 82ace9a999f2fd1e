import { expect, test, vi } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import type { EaasClientOptions } from '../index.ts';

test.each<[string, Partial<EaasClientOptions>]>([
  [
    'throws',
    {
      onEvent: () => {
        throw new Error('no');
      },
    },
  ],
  [
    'rejects',
    {
      onEvent: () => Promise.reject(new Error('no')) as never,
    },
  ],
  [
    'is a logger that throws',
    {
      logger: {
        debug: () => {
          throw new Error('no');
        },
        warn: () => undefined,
      },
    },
  ],
])('an observer that %s does not affect calls and other observers', async (_, options) => {
  const broken = vi.fn();
  process.on('unhandledRejection', broken);
  const seen = vi.fn();
  const { client } = observedClient({ onEvent: seen, logger: { debug: seen, warn: seen }, ...options });
  await client.encrypt('x');
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', broken);
  expect(broken).not.toHaveBeenCalled();
  expect(seen).toHaveBeenCalled();
});
