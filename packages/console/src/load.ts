// Loads data and runs work for components, with one state for progress and failure. Loading goes on when the service is back.
import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { type Failure, failureOf } from './failure.ts';

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

const pauseWhileAway = 4_000;

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
    // The caller lists in `inputs` all values that `load` uses, so that a change of one of these values runs `load`
    // again.
  }, [...inputs, round.value]);

  return { value: value.value, failure: failure.value, isLoading: isLoading.value, reload };
}

export interface Work {
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
  /** The signal aborts when the component is removed. */
  readonly run: (work: (signal: AbortSignal) => Promise<unknown>) => Promise<boolean>;
}

export function useWork(): Work {
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const run: Work['run'] = async (work) => {
    if (isBusy.value) return false;
    isBusy.value = true;
    failure.value = undefined;
    try {
      await work(stop.current.signal);
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
