// How long this process waits before it gives up: on its database, on clients, on other machines and in its own queues.

let factor = 1;

/** A time limit in milliseconds, as this process has it. */
export function timeLimit(milliseconds: number): number {
  return milliseconds * factor;
}

/** Makes every time limit of this process so many times as long. A very slow machine, or a test, needs long ones. */
export function stretchTimeLimits(times: number): void {
  factor = times;
}
