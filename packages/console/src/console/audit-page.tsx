// The audit log: filtered, followed live, exported and verified. Entries that a verification finds changed are marked.
import type { AuditReport } from '@eaas/audit';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Download } from '../parts/download.tsx';
import { Check } from '../parts/field.tsx';
import { Listing, usePages } from '../parts/listing.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, FailureView } from '../parts/states.tsx';
import { signedIn } from '../session.ts';
import { columnsFor } from './audit-columns.tsx';
import { asLines, filterOf, isFiltered, noFilter, offsetOf } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditVerify } from './audit-verify.tsx';
import { WitnessedHead } from './witnessed-head.tsx';
import { useActorNames, useKeyNames } from './names.ts';

const pause = 2_000;

export function Audit() {
  const { client } = signedIn();
  const filter = useSignal(noFilter);
  const isLive = useSignal(false);
  const marked = useSignal<number | undefined>(undefined);
  const report = useSignal<AuditReport | undefined>(undefined);
  const texts = filter.value;
  const wanted = filterOf(texts);

  const list = usePages(
    (query, options) => client.audit.page({ ...query, ...wanted }, options),
    [JSON.stringify(wanted)],
  );
  const { failure, isLoading, offset, reload } = list;
  const keys = useKeyNames();
  const actors = useActorNames();
  useEffect(() => {
    if (!isLive.value) return undefined;
    const timer = setInterval(() => document.hidden || reload(), pause);
    return () => clearInterval(timer);
  }, [isLive.value]);

  const show = async (id: number): Promise<void> => {
    filter.value = noFilter;
    isLive.value = false;
    const { logs } = await client.audit.page({ limit: 2 });
    offset.value = offsetOf(id, logs[0]?.id ?? id);
    marked.value = id;
  };
  const { findings = [], ok: isVerified = false, checkpoint } = report.value ?? {};
  const broken = new Set(findings.flatMap(({ id }) => id ?? []));
  const verifiedTo = isVerified ? (checkpoint?.id ?? 0) : 0;

  const entries = list.value?.logs ?? [];
  const isHere = entries.some(({ id }) => id === marked.value);
  useEffect(() => {
    const row = isHere ? document.querySelector('tr.marked') : null;
    row?.scrollIntoView({ block: 'center' });
    row?.querySelector('button')?.focus({ preventScroll: true });
  }, [marked.value, isHere]);

  return (
    <>
      <PageHead
        title="Audit log"
        lead="The log shows each use of a key: who used the key, from where, and when. Verification detects every change of the log."
        action={
          failure ? undefined : (
            <Download
              entries={(signal) => client.audit.list(wanted, { order: 'oldest', signal })}
              name="audit"
              ending="ndjson"
              type="application/x-ndjson"
              write={asLines}
            >
              {isFiltered(texts) ? 'Export these entries' : 'Export all entries'}
            </Download>
          )
        }
      />
      {failure && <FailureView failure={failure} needs="audit.read" onRetry={reload} />}
      {!failure && (
        <>
          <AuditVerify report={report} onShow={(id) => void show(id)} />
          <details open={innerWidth > 760}>
            <summary>Filter the entries</summary>
            <AuditFilters filter={filter} keys={keys} actors={actors}>
              <Check
                isChecked={isLive.value}
                onChange={(isChecked) => {
                  isLive.value = isChecked;
                  if (isChecked) offset.value = 0;
                }}
              >
                Live
              </Check>
            </AuditFilters>
          </details>
          <Listing
            list={list}
            rowsOf={({ logs }) => logs}
            of="entries"
            needs="audit.read"
            empty={
              <Empty title={isFiltered(texts) ? 'No entry matches' : 'The log is empty'}>
                {isFiltered(texts)
                  ? 'Clear a filter to see more.'
                  : 'The first use of a key writes the first entry.'}
              </Empty>
            }
            columns={columnsFor(entries, { keys, actors, broken, verifiedTo })}
            keyOf={({ id }) => id}
            classOf={({ id }) => `${broken.has(id) ? 'bad' : ''} ${id === marked.value ? 'marked' : ''}`}
            isStale={isLoading && !isLive.value}
            isDense
          />
          <WitnessedHead />
        </>
      )}
    </>
  );
}
