/** Runs work that pauses at each `yield` to its end. */
export function finish<T>(work: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
