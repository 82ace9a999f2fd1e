import { setTimeout as sleep } from 'node:timers/promises';

export function repeat(pause: number, work: () => Promise<unknown>): () => Promise<void> {
  const ending = new AbortController();
  const ended = (async () => {
    for (; !ending.signal.aborted; await sleep(pause)) await work();
  })();
  return async () => {
    ending.abort();
    await ended;
  };
}
