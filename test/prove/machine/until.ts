import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again, and returns whether the condition was true within the time. */
export async function holdsWithin(seconds: number, condition: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = performance.now() + seconds * 1_000; performance.now() < deadline; await sleep(50)) {
    if (await condition()) return true;
  }
  return false;
}

/** Waits until the condition is true, and throws if it is not true within the time. */
export async function until(what: string, seconds: number, condition: () => Promise<boolean>): Promise<void> {
  if (!(await holdsWithin(seconds, condition))) throw new Error(`expected within ${seconds} s: ${what}`);
}
