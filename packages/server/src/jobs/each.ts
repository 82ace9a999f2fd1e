import { Closed } from '../base/refusal.ts';

/**
 * Throws an error with the first failure as its `cause`, so that the log shows this failure. A moved tenant (`Closed`)
 * is not a failure.
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
