import { useSignal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
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

  const exportAll = () =>
    run(async (signal) => {
      count.value = 0;
      const file = await exportAudit(client, {
        filter: filterOf(texts),
        signal,
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
