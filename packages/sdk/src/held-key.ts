import { abortable } from './abortable.ts';
import type { EaasError } from './errors.ts';
import { endLife, type LiveKey, type Timer } from './live-key.ts';

/** A data key that is here, or on its way: overwritten once it was let go and nobody works with it any more. */
export interface HeldKey {
  readonly arriving: Promise<LiveKey>;
  /** Gives up what has not arrived. */
  readonly lose: (error: EaasError) => void;
  key?: LiveKey;
  users: number;
  letGo?: boolean;
  /** Of its time, which is over when it is let go. */
  timer?: Timer;
}

/** Holds a data key; `arrived` is told when it is here, `failed` when it will not come. */
export function hold(
  arriving: Promise<LiveKey>,
  arrived?: () => void,
  failed?: (error: EaasError) => void,
): HeldKey {
  const held: HeldKey = {
    arriving,
    users: 0,
    lose(error) {
      if (held.key || held.letGo) return;
      held.letGo = true;
      failed?.(error);
    },
  };
  void arriving
    .then((key) => {
      held.key = key;
      // It may have been let go while it was on its way.
      return held.letGo ? letGo(held) : arrived?.();
    })
    .catch(held.lose);
  return held;
}

/** Works with a data key once it is here: at once then, and it is not overwritten meanwhile. */
export async function useHeld<T>(
  held: HeldKey,
  work: (key: LiveKey) => T | Promise<T>,
  signal: AbortSignal | undefined,
  patience: number,
): Promise<T> {
  held.users++;
  try {
    return await work(await abortable(held.arriving, signal, patience));
  } catch (error) {
    if ((error as EaasError).code === 'timeout') held.lose(error as EaasError);
    throw error;
  } finally {
    held.users--;
    if (held.letGo) letGo(held);
  }
}

export function letGo(held: HeldKey): void {
  held.letGo = true;
  clearTimeout(held.timer);
  if (held.users === 0 && held.key) endLife(held.key);
}
