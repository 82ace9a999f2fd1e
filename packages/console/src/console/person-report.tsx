// Saves the report on a person as CSV or JSON, with the rows that the SDK would return.
import type { EaasClient, ReportRow } from '@eaas/sdk';
import { reportCsv, reportRow } from '@eaas/sdk/internal';
import { Download } from '../parts/download.tsx';
import { signedIn } from '../session.ts';

/** Downloads what can be shown to a person: the rows of `eaas.audit.report`. */
export function PersonReport({ subjectId }: { readonly subjectId: string }) {
  const shared = {
    name: `person-${subjectId.slice(0, 8)}`,
    entries: (signal: AbortSignal) => reportOf(signedIn().client, subjectId, signal),
  };
  const json = (rows: readonly ReportRow[]) => `${JSON.stringify(rows, null, 2)}\n`;
  return (
    <>
      <Download {...shared} ending="csv" type="text/csv" write={reportCsv}>
        Report as CSV
      </Download>
      <Download {...shared} ending="json" type="application/json" write={json}>
        Report as JSON
      </Download>
    </>
  );
}

/** Half of an id is enough, which `audit.report` would refuse. */
export async function* reportOf(
  { audit }: Pick<EaasClient, 'audit'>,
  subject_id: string,
  signal: AbortSignal,
): AsyncGenerator<ReportRow> {
  for await (const entry of audit.list({ subject_id }, { signal })) yield reportRow(entry);
}
