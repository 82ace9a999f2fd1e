import { afterEach, expect, test, vi } from 'vitest';
import { nextTurn } from './next-turn.ts';

afterEach(() => void vi.unstubAllGlobals());

function refuse(): never {
  throw new Error('A Node.js API is used (MessageChannel) which is not supported in the Edge Runtime.');
}

test.each([
  ['messages', MessageChannel],
  ['no messages', undefined],
  ['messages that throw, as in the edge runtime of Next.js', refuse],
])('the event loop has its turn where there are %s', async (_, channel) => {
  vi.stubGlobal('MessageChannel', channel);
  let steps = 0;
  const promises = async (): Promise<void> => {
    for (; steps < 1_000; steps++) await Promise.resolve();
  };
  void promises();
  await nextTurn();
  expect(steps).toBe(1_000);
});
