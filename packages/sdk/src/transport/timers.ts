/** The longest delay of a JavaScript timer, in milliseconds. A timer with a longer delay fires immediately. */
export const longest = 2 ** 31 - 1;

export type Timer = ReturnType<typeof setTimeout>;

export function later(milliseconds: number, work: () => void): Timer {
  const timer = setTimeout(work, Math.min(milliseconds, longest));
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
