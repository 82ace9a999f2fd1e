import { useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import { type Failure, failureOf } from './failure.ts';

/** The state of a value that a view loads. A reload keeps the old value until the new one arrives. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

const pauseWhileAway = 4_000;

/** Loads when the view appears, whenever `inputs` change, and every few seconds while the service does not respond. */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> {
  const value = useSignal<T | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const isLoading = useSignal(true);
  const round = useSignal(0);
  const reload = useCallback(() => void round.value++, [round]);

  useEffect(() => {
    const stop = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      isLoading.value = true;
      try {
        const loaded = await load(stop.signal);
        if (stop.signal.aborted) return;
        value.value = loaded;
        failure.value = undefined;
      } catch (error) {
        if (stop.signal.aborted) return;
        failure.value = failureOf(error);
        if (failure.value.kind === 'away') again = setTimeout(reload, pauseWhileAway);
      }
      isLoading.value = false;
    };
    void run();
    return () => {
      stop.abort();
      clearTimeout(again);
    };
    // The caller names what `load` depends on.
  }, [...inputs, round.value]);

  return { value: value.value, failure: failure.value, isLoading: isLoading.value, reload };
}

/** The state of the work that a button starts. */
export interface Work {
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
  /** Runs the work unless it is running. Resolves to whether it succeeded. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

export function useWork(): Work {
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy.value) return false;
    isBusy.value = true;
    failure.value = undefined;
    try {
      await work();
      return true;
    } catch (error) {
      failure.value = failureOf(error);
      return false;
    } finally {
      isBusy.value = false;
    }
  };
  return { isBusy: isBusy.value, failure: failure.value, run };
}
