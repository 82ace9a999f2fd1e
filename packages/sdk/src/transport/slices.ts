import { nextTurn } from '@eaas/protocol/internal-turn';

const longest = 10;

/** Does the work for each item, and pauses after each 10 ms, so that the event loop can handle other events. */
export async function inSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
  pause: () => Promise<void> = nextTurn,
  now = (): number => performance.now(),
): Promise<Result[]> {
  const results: Result[] = [];
  let end = now() + longest;
  for (const item of items) {
    if (now() >= end) {
      await pause();
      end = now() + longest;
    }
    results.push(work(item));
  }
  return results;
}
