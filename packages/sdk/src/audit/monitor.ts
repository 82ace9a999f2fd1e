import { longest } from '../deadline.ts';
import { EaasError } from '../errors.ts';
import { type AuditReport, type AuditSource, checkAudit, type CheckOptions } from './check.ts';

/** As for one round; and how often, and who hears of failures. */
export interface MonitorOptions extends CheckOptions {
  /** Milliseconds between the end of a round and the next; 300,000 (five minutes) where absent. */
  readonly interval?: number | undefined;
  /** Told when a round could not be carried out; the next tries again. Where absent, it is thrown. */
  readonly onError?: ((error: EaasError) => void | Promise<void>) | undefined;
}

/**
 * Checks an audit log again and again, and yields the report of each round; ends when the signal says so. Throws what
 * `checkAudit` throws, EaasError only where there is no `onError`.
 */
export async function* monitorAudit(
  source: AuditSource,
  { interval = 300_000, onError, ...options }: MonitorOptions,
): AsyncGenerator<AuditReport, void, undefined> {
  const { signal } = options;
  for (;;) {
    if (signal?.aborted) return;
    const report = await checkAudit(source, options).catch(async (error: unknown) => {
      if (signal?.aborted) return;
      if (!onError || !(error instanceof EaasError)) throw error;
      await onError(error);
    });
    if (report) yield report;
    await pause(interval, signal);
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, longest));
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}
