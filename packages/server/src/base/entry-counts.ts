// What this process counts of what the service tells. The metrics show it (http/metrics.ts).
import { type AuditAction, auditActions } from '@eaas/protocol/wire';
import type { Link } from '@eaas/service';

const minuteLength = 60_000;
const unwraps: ReadonlySet<string> = new Set<AuditAction>(['key.unwrap', 'decrypt']);

export class Counts {
  appends = 0;
  entries = 0;
  conflicts = 0;
  failures = 0;
  wentBack = 0;
  intakeOpened = 0;
  incompleteVerifications = 0;
  /** When the newest append failed, as a value of `performance.now()`, or null after one that did not. */
  failedAt: number | null = null;
  readonly byAction = new Map<string, number>(auditActions.map((action) => [action, 0]));
  #unwraps = new Map<string, number>();
  #moved = 0;
  #minute = 0;
  #mostBefore = 0;
  #movedBefore = 0;

  /** Counts the entries of a link that is committed. */
  appended(tenantId: string, { runs, next: { created_at: time } }: Pick<Link, 'runs' | 'next'>): void {
    this.appends++;
    this.failedAt = null;
    this.#begin(time);
    for (const { action, first, last } of runs) {
      const count = last - first + 1;
      this.entries += count;
      this.byAction.set(action, (this.byAction.get(action) ?? 0) + count);
      if (unwraps.has(action)) this.#unwraps.set(tenantId, (this.#unwraps.get(tenantId) ?? 0) + count);
    }
  }

  /** Unwraps and decryptions in the last full minute, of the tenant that had the most. */
  busiest(time: number): number {
    this.#begin(time);
    return this.#mostBefore;
  }

  /** Counts an append whose head another replica had moved. */
  moved(time: number): void {
    this.#begin(time);
    this.conflicts++;
    this.#moved++;
  }

  /** Appends in the last full minute whose head had moved. */
  movedLately(time: number): number {
    this.#begin(time);
    return this.#movedBefore;
  }

  unwritten(): void {
    this.failures++;
    this.failedAt = performance.now();
  }

  #begin(time: number): void {
    const minute = Math.floor(time / minuteLength);
    if (minute === this.#minute) return;
    const isNext = minute === this.#minute + 1;
    this.#mostBefore = isNext ? Math.max(0, ...this.#unwraps.values()) : 0;
    this.#movedBefore = isNext ? this.#moved : 0;
    this.#unwraps = new Map();
    this.#moved = 0;
    this.#minute = minute;
  }
}
