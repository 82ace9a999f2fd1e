import { Closed } from '../refusal.ts';

/**
 * The thrown error has the first failure as its cause, because the log shows causes. A closed tenant is not a failure.
 */
export async function forEach<T>(
  things: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  let count = 0;
  for await (const thing of things) {
    if (signal.aborted) return;
    count++;
    try {
      await work(thing);
    } catch (error) {
      if (!(error instanceof Closed)) failures.push(error);
    }
  }
  if (failures.length === 0) return;
  const [cause] = failures;
  throw new AggregateError(failures, `${failures.length} of ${count} failed`, { cause });
}
