import { useSignal } from '@preact/signals';
import type { EaasClient, ReportRow } from '@eaas/sdk';
import { reportCsv, reportRow } from '@eaas/sdk/internal';
import { useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/short.ts';
import { FailureView } from '../parts/states.tsx';
import { save } from './export-audit.ts';

interface PersonReportProps {
  readonly client: EaasClient;
  readonly subjectId: string;
}

const formats = {
  csv: { type: 'text/csv', write: reportCsv },
  json: {
    type: 'application/json',
    write: (rows: readonly ReportRow[]) => `${JSON.stringify(rows, null, 2)}\n`,
  },
};

/** Downloads what can be shown to a person: the rows of `eaas.audit.report`. */
export function PersonReport({ client, subjectId }: PersonReportProps) {
  const count = useSignal(0);
  const format = useSignal<keyof typeof formats>('csv');
  const { isBusy, failure, run } = useWork();

  const download = (chosen: keyof typeof formats) =>
    run(async (signal) => {
      format.value = chosen;
      const { type, write } = formats[chosen];
      const rows = await readReport(client, subjectId, {
        signal,
        onProgress: (read) => (count.value = read),
      });
      const day = new Date().toISOString().slice(0, 10);
      save(new Blob([write(rows)], { type }), `person-${subjectId.slice(0, 8)}-${day}.${chosen}`);
    });

  return (
    <div class="row">
      {(['csv', 'json'] as const).map((each) => (
        <Button
          key={each}
          isBusy={isBusy && format.value === each}
          busyText={`Reading, ${counted(count.value, 'entry', 'entries')}`}
          onClick={() => void download(each)}
        >
          Report as {each.toUpperCase()}
        </Button>
      ))}
      {failure && <FailureView failure={failure} />}
    </div>
  );
}

interface ReportOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (count: number) => void;
}

/** Half of an id is enough, which `audit.report` would refuse. */
export async function readReport(
  { audit }: Pick<EaasClient, 'audit'>,
  subject_id: string,
  { signal, onProgress }: ReportOptions,
): Promise<ReportRow[]> {
  const rows: ReportRow[] = [];
  onProgress(0);
  for await (const entry of audit.list({ subject_id }, { signal })) {
    rows.push(reportRow(entry));
    if (rows.length % 100 === 0) onProgress(rows.length);
  }
  return rows;
}
