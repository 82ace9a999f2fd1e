import { useSignal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
import type { AuditEntry } from '@eaas/sdk/audit';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/short.ts';
import { FailureView } from '../parts/states.tsx';
import { searchActor, type SearchState } from './actor-search.ts';
import type { AuditFilter } from './audit-types.ts';

interface ActorEntriesProps {
  readonly client: EaasClient;
  readonly filter: AuditFilter;
  readonly actor: string;
  readonly children: (entries: readonly AuditEntry[]) => ComponentChildren;
}

/** The entries of one actor, as far as the log is read. A parent gives each filter and actor another `key`. */
export function ActorEntries({ client, filter, actor, children }: ActorEntriesProps) {
  const state = useSignal<SearchState>({ entries: [], read: 0, total: 0, isDone: false });
  const round = useSignal(0);
  const { isBusy, failure, run } = useWork();
  const search = useRef<ReturnType<typeof searchActor> | null>(null);
  const readOn = () => run(async () => search.current?.((next) => (state.value = next)));
  useEffect(() => {
    const stop = new AbortController();
    search.current = searchActor(client, { filter, actor, signal: stop.signal });
    void readOn();
    return () => stop.abort();
  }, [round.value]);
  const { entries } = state.value;
  return (
    <>
      <div class="search">
        <p role="status">{progressOf(state.value)}</p>
        {!state.value.isDone && !failure && (
          <Button isBusy={isBusy} busyText="Reading" onClick={() => void readOn()}>
            Read on
          </Button>
        )}
      </div>
      {failure && <FailureView failure={failure} onRetry={() => round.value++} />}
      {entries.length > 0 && children(entries)}
    </>
  );
}

function progressOf({ entries, read, total, isDone }: SearchState): string {
  const [all, found] = [counted(total, 'entry', 'entries'), entries.length.toLocaleString('en')];
  const of = `${found} ${entries.length === 1 ? 'is' : 'are'} of this actor`;
  if (isDone) return `All ${all} are read: ${of}.`;
  return `The newest ${read.toLocaleString('en')} of ${all} are read: ${of}.`;
}
