import { Closed } from '../refusal.ts';

/**
 * Does the work for each thing, and throws an AggregateError at the end if any work failed. A closed tenant is not a
 * failure, because another database serves the tenant. The first failure is the error's cause, because the server's log
 * shows causes.
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
