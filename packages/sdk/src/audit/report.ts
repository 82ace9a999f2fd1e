import type { Input } from '@eaas/protocol/wire';
import type { ServiceError } from '../errors.ts';
import type { Call } from '../transport/transport.ts';
import { listAudit, type ListOptions } from './list.ts';
import { type ReportRow, reportRow } from './report-rows.ts';

export async function* reportOn(
  call: Call,
  name: Input<'POST /v1/subjects/show'>,
  options: ListOptions,
  unreadable: () => ServiceError,
): AsyncGenerator<ReportRow, void, undefined> {
  const { signal } = options;
  const { subject_id } = await call('POST /v1/subjects/show', name, { signal });
  for await (const entry of listAudit(call, { subject_id }, options, unreadable)) yield reportRow(entry);
}
