import { DatabaseSlow } from './faults.ts';

/** After the error DatabaseSlow, the work continues, and can still take effect. */
export function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // The error is created only if it is needed, because recording its stack takes longer than the rest of this
    // function.
    const giveUp = (): void =>
      reject(new DatabaseSlow(`the database did not respond within ${Math.round(milliseconds)} ms`));
    const timer = setTimeout(giveUp, milliseconds);
    work.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
