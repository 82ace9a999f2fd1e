import type { EaasClient } from '@eaas/sdk';
import type { AuditEntry } from '@eaas/sdk/audit';
import type { AuditFilter } from './audit-types.ts';

export interface SearchState {
  readonly entries: readonly AuditEntry[];
  readonly read: number;
  readonly total: number;
  readonly isDone: boolean;
}

interface Wanted {
  readonly filter: AuditFilter;
  readonly actor: string;
  readonly signal: AbortSignal;
}

/**
 * Returns a function that finds the next entries of an actor, newest first. It reads the log, because the API cannot
 * filter by actor. Each call stops after `atOnce` found or `atMost` read entries, however long the log is.
 */
export function searchActor(
  { audit }: Pick<EaasClient, 'audit'>,
  { filter, actor, signal }: Wanted,
  { atOnce = 50, atMost = 5_000 } = {},
): (onState: (state: SearchState) => void) => Promise<void> {
  const entries: AuditEntry[] = [];
  const log = audit.list(filter, { signal })[Symbol.asyncIterator]();
  let read = 0;
  let total: number | undefined;
  return async (onState) => {
    if (total === undefined) {
      const page = await audit.page({ ...filter, limit: 1 }, { signal });
      total = page.total ?? page.total_at_least;
    }
    const report = (isDone: boolean): void =>
      onState({ entries: [...entries], read, total: Math.max(read, total ?? 0), isDone });
    const [lastRead, enough] = [read + atMost, entries.length + atOnce];
    while (read < lastRead && entries.length < enough) {
      const next = await log.next();
      if (next.done === true) return report(true);
      read++;
      if (next.value.actor === actor) entries.push(next.value);
      if (read % 100 === 0) report(false);
    }
    report(false);
  };
}
