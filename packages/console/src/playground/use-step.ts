import { useSignal } from '@preact/signals';
import type { Recorded } from './exchanges.ts';
import type { Play } from './play.ts';

export interface RunStep<T> {
  readonly isBusy: boolean;
  readonly outcome: Recorded<T> | undefined;
  readonly run: (work: () => Promise<T>) => Promise<Recorded<T> | undefined>;
}

export function useStep<T>({ recorder }: Play): RunStep<T> {
  const isBusy = useSignal(false);
  const outcome = useSignal<Recorded<T> | undefined>(undefined);
  const run = async (work: () => Promise<T>): Promise<Recorded<T> | undefined> => {
    if (isBusy.value) return undefined;
    isBusy.value = true;
    const recorded = await recorder.during(work);
    outcome.value = recorded;
    isBusy.value = false;
    return recorded;
  };
  return { isBusy: isBusy.value, outcome: outcome.value, run };
}
