/**
 * Does work for each thing, also after one fails. At the end, throws an AggregateError of all failures. The cause of this
 * error is the first failure, so that the server's log shows it.
 */
export async function forEach<T>(
  things: readonly T[],
  signal: AbortSignal,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const thing of things) {
    if (signal.aborted) return;
    try {
      await work(thing);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 0) return;
  const [cause] = failures;
  throw new AggregateError(failures, `${failures.length} of ${things.length} failed`, { cause });
}
