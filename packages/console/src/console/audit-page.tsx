import type { AuditReport } from '@eaas/audit';
import type { AuditEntry } from '@eaas/sdk';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLoaded } from '../load.ts';
import { PageFailure } from '../parts/page-failure.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Pager } from '../parts/pager.tsx';
import { short } from '../parts/short.ts';
import { Empty, Loading } from '../parts/states.tsx';
import type { PageProps } from '../session.ts';
import { AuditExport } from './audit-export.tsx';
import { filterOf, type FilterTexts, isFiltered, offsetOf } from './audit-filter.ts';
import { AuditEntryDialog } from './audit-entry.tsx';
import { AuditFilters, type FilterSignals } from './audit-filters.tsx';
import { AuditTable } from './audit-table.tsx';
import { AuditVerify } from './audit-verify.tsx';
import { WitnessedHead } from './witnessed-head.tsx';
import { nameIn, useActorNames, useKeyNames } from './names.ts';

const size = 50;
const pause = 2_000;

export function Audit({ session: { client } }: PageProps) {
  const filter: FilterSignals = {
    action: useSignal(''),
    key: useSignal(''),
    otherKeyId: useSignal(''),
    actor: useSignal(''),
    otherActorId: useSignal(''),
    subject: useSignal(''),
    user: useSignal(''),
    from: useSignal(''),
    to: useSignal(''),
  };
  const offset = useSignal(0);
  const isLive = useSignal(false);
  const opened = useSignal<AuditEntry | undefined>(undefined);
  const marked = useSignal<number | undefined>(undefined);
  const report = useSignal<AuditReport | undefined>(undefined);
  const texts = Object.fromEntries(
    Object.entries(filter).map(([name, { value }]) => [name, value]),
  ) as unknown as FilterTexts;
  const wanted = filterOf(texts);

  const { value, failure, isLoading, reload } = useLoaded(
    (signal) => client.audit.page({ ...wanted, limit: size, offset: offset.value }, { signal }),
    [JSON.stringify(wanted), offset.value],
  );
  const keys = useKeyNames(client);
  const actors = useActorNames(client);
  useEffect(() => void (offset.value = 0), [JSON.stringify(wanted)]);
  useEffect(() => {
    if (!isLive.value) return undefined;
    const timer = setInterval(() => document.hidden || reload(), pause);
    return () => clearInterval(timer);
  }, [isLive.value]);

  const clear = (): void => {
    for (const signal of Object.values(filter)) signal.value = '';
  };
  const show = async (id: number): Promise<void> => {
    clear();
    isLive.value = false;
    const { logs } = await client.audit.page({ limit: 2 });
    offset.value = offsetOf(id, logs[0]?.id ?? id);
    marked.value = id;
  };
  const broken = new Set(report.value?.findings.flatMap(({ id }) => id ?? []));

  return (
    <>
      <PageHead
        title="Audit log"
        lead="The log shows each use of a key: who used the key, from where, and when. Verification detects every change of the log."
        action={failure ? undefined : <AuditExport client={client} texts={texts} />}
      />
      {failure && <PageFailure failure={failure} needs="audit.read" onRetry={reload} />}
      {!failure && (
        <>
          <AuditVerify client={client} report={report} onShow={(id) => void show(id)} />
          <WitnessedHead client={client} />
          <AuditFilters filter={filter} keys={keys} actors={actors} onClear={clear}>
            <label class="choice">
              <input
                type="checkbox"
                checked={isLive.value}
                onChange={({ currentTarget: { checked } }) => {
                  isLive.value = checked;
                  if (checked) offset.value = 0;
                }}
              />
              Live
            </label>
          </AuditFilters>
          {!value && <Loading text="Loading the audit log" />}
          {value?.count === 0 && (
            <Empty title={isFiltered(texts) ? 'No entry matches' : 'The log is empty'}>
              {isFiltered(texts)
                ? 'Clear a filter to see more.'
                : 'The first use of a key writes the first entry.'}
            </Empty>
          )}
          {value && value.count > 0 && (
            <>
              <AuditTable
                entries={value.logs}
                isStale={isLoading && !isLive.value}
                broken={broken}
                verifiedTo={report.value?.ok ? (report.value.checkpoint?.id ?? 0) : 0}
                marked={marked.value}
                nameOf={(id) => nameIn(keys, id) ?? short(id)}
                actorNameOf={(id) => nameIn(actors, id)}
                onOpen={(entry) => (opened.value = entry)}
              />
              <Pager {...value} size={size} of="entries" onMove={(next) => (offset.value = next)} />
            </>
          )}
        </>
      )}
      {opened.value && <AuditEntryDialog entry={opened.value} onClose={() => (opened.value = undefined)} />}
    </>
  );
}
