import { useSignal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
import { useEffect, useRef } from 'preact/hooks';
import { useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/short.ts';
import { FailureView } from '../parts/states.tsx';
import { type FilterTexts, filterOf, isFiltered } from './audit-filter.ts';
import { exportAudit, save } from './export-audit.ts';

interface AuditExportProps {
  readonly client: EaasClient;
  readonly texts: FilterTexts;
}

export function AuditExport({ client, texts }: AuditExportProps) {
  const count = useSignal(0);
  const { isBusy, failure, run } = useWork();
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);

  const exportAll = () =>
    run(async () => {
      count.value = 0;
      stop.current = new AbortController();
      const file = await exportAudit(client, {
        filter: filterOf(texts),
        signal: stop.current.signal,
        onProgress: (read) => (count.value = read),
      });
      save(file, `audit-${new Date().toISOString().slice(0, 10)}.ndjson`);
    });

  return (
    <div>
      <Button
        isBusy={isBusy}
        busyText={`Exporting, ${counted(count.value, 'entry', 'entries')}`}
        onClick={() => void exportAll()}
      >
        {isFiltered(texts) ? 'Export these entries' : 'Export all entries'}
      </Button>
      {failure && <FailureView failure={failure} />}
    </div>
  );
}
