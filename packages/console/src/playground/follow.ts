import { type AuditEntry, type AuditReport, type AuditState, checkAudit } from '@eaas/audit';
import { type EaasClient, ServiceError } from '@eaas/sdk';

export interface Follower {
  readonly onEntry: (entry: AuditEntry) => void;
  readonly onReport: (report: AuditReport) => void;
  readonly onError: (error: unknown) => void;
}

const interval = 1_500;
const existingEntries = 50;

export function followAudit(client: EaasClient, { onEntry, onReport, onError }: Follower): () => void {
  let saved: AuditState | null | undefined;
  let stop = new AbortController();

  async function run(signal: AbortSignal): Promise<void> {
    try {
      saved ??= await startingState(client, onEntry, signal);
      while (!signal.aborted) {
        const report = await checkAudit(client, { state: saved, onEntry, signal });
        saved = report.state;
        onReport(report);
        await new Promise((resolve) => setTimeout(resolve, interval));
      }
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
      const isForbidden = error instanceof ServiceError && error.code === 'permission_missing';
      if (!isForbidden) setTimeout(() => signal.aborted || void run(signal), interval * 2);
    }
  }

  const follow = (): void => {
    stop.abort();
    stop = new AbortController();
    if (!document.hidden) void run(stop.signal);
  };
  document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    stop.abort();
  };
}

async function startingState(
  client: EaasClient,
  onEntry: Follower['onEntry'],
  signal: AbortSignal,
): Promise<AuditState | undefined> {
  const { logs } = await client.audit.page({ limit: existingEntries }, { signal });
  const oldest = logs.at(-1);
  if (!oldest || oldest.id === 1) return undefined;
  const { verifier_key, tenant_id } = await client.audit.checkpoint({ signal });
  onEntry(oldest);
  const start = { id: oldest.id, hash: oldest.hash };
  return { version: 1, tenant_id, verifier_key, start, read: start, checkpoint: null };
}
