import type { Input } from '@eaas/protocol/wire';
import type { ServiceError } from '../errors.ts';
import type { Call } from '../transport/transport.ts';
import { type AuditEntry, listAudit, type ListOptions } from './list.ts';

/** What happened with the data of a person. It can be shown to this person: it has no address, key or context. */
export interface ReportRow {
  /** When it happened, as RFC 3339 with milliseconds. */
  readonly time: string;
  readonly action: AuditEntry['action'];
  /** The first half of the id of the user who acted, 32 hexadecimal characters. Null if the app named none. */
  readonly user: string | null;
  readonly outcome: 'done' | 'refused';
}

export async function* reportOn(
  call: Call,
  name: Input<'POST /v1/subjects/show'>,
  options: ListOptions,
  unreadable: () => ServiceError,
): AsyncGenerator<ReportRow, void, undefined> {
  const { signal } = options;
  const { subject_id } = await call('POST /v1/subjects/show', name, { signal });
  for await (const { created_at, action, metadata } of listAudit(call, { subject_id }, options, unreadable)) {
    const { user, outcome } = metadata;
    yield {
      time: created_at,
      action,
      user: typeof user === 'string' ? user : null,
      outcome: outcome === 'refused' ? 'refused' : 'done',
    };
  }
}
