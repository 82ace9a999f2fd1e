import { setTimeout as sleep } from 'node:timers/promises';

export async function holdsWithin(seconds: number, condition: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = performance.now() + seconds * 1_000; performance.now() < deadline; await sleep(50)) {
    if (await condition()) return true;
  }
  return false;
}

export async function until(what: string, seconds: number, condition: () => Promise<boolean>): Promise<void> {
  if (!(await holdsWithin(seconds, condition))) throw new Error(`expected within ${seconds} s: ${what}`);
}
