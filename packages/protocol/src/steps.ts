/** Work that the caller can pause at each `yield`. */
export type Steps<T> = Generator<undefined, T>;

/** Runs the work to its end without a pause. */
export function finish<T>(work: Steps<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
