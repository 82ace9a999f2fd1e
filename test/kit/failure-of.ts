/** Returns what a work rejects with, or undefined if it succeeds. */
export const failureOf = <Failure = unknown>(work: Promise<unknown>): Promise<Failure> =>
  work.then(
    () => undefined as never,
    (error: Failure) => error,
  );
