// Reads and verifies the audit log as it grows, beside the steps, and only while somebody can see it.
import { type AuditEntry, type AuditReport, type AuditState, checkAudit } from '@eaas/audit';
import type { EaasClient } from '@eaas/sdk';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Failure, failureOf } from '../failure.ts';

const interval = 1_500;
const existingEntries = 50;
const mostEntries = 100;

/** Follows the audit log while the page is visible: its newest entries, and what the last check of the chain found. */
export function useAuditLog(client: EaasClient) {
  const entries = useSignal<readonly AuditEntry[]>([]);
  const report = useSignal<AuditReport | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);

  useEffect(() => {
    let saved: AuditState | null | undefined;
    let stop = new AbortController();
    const onEntry = (entry: AuditEntry): void => {
      if (entries.value.some(({ id }) => id === entry.id)) return;
      entries.value = [entry, ...entries.value].slice(0, mostEntries);
    };
    const run = async (signal: AbortSignal): Promise<void> => {
      try {
        saved ??= await startingState(client, onEntry, signal);
        while (!signal.aborted) {
          report.value = await checkAudit(client, { state: saved, onEntry, signal });
          saved = report.value.state;
          failure.value = undefined;
          await new Promise((resolve) => setTimeout(resolve, interval));
        }
      } catch (error) {
        if (signal.aborted) return;
        failure.value = failureOf(error);
        if (failure.value.kind === 'forbidden') return;
        setTimeout(() => signal.aborted || void run(signal), interval * 2);
      }
    };
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
  }, [client]);

  return { entries: entries.value, report: report.value, failure: failure.value };
}

async function startingState(
  client: EaasClient,
  onEntry: (entry: AuditEntry) => void,
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
