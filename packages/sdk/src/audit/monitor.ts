import type { LoadError } from '@eaas/protocol';
import { atLeastOne, callback, type OptionRules, requireOptions } from '@eaas/protocol/internal-options';
import { sleep } from '../transport/abortable.ts';
import type { ClientError, ServiceError } from '../errors.ts';
import { isCallError } from './call-error.ts';
import { type AuditReport, type AuditSource, checkAudit, type CheckOptions, checkOptions } from './check.ts';

/** Options of `audit.monitor`. */
export interface MonitorOptions extends CheckOptions {
  /** The delay between two rounds in milliseconds. Defaults to 300,000 (five minutes). */
  readonly interval?: number | undefined;
  /**
   * Called with the error if a round fails. The monitor then continues. Without `onError`, the monitor throws the
   * error.
   */
  readonly onError?: ((error: ServiceError | ClientError | LoadError) => void | Promise<void>) | undefined;
}

const monitorOptions: OptionRules<MonitorOptions> = {
  ...checkOptions,
  interval: atLeastOne,
  onError: callback,
};

/**
 * Checks an audit log repeatedly until the signal aborts, and yields the report of each round. Throws the errors of
 * `checkAudit`, except those that are passed to `onError`.
 */
export async function* monitorAudit(
  source: AuditSource,
  options: MonitorOptions,
): AsyncGenerator<AuditReport, void, undefined> {
  requireOptions(monitorOptions, options, 'monitor');
  const { interval = 300_000, onError, ...checking } = options;
  const { signal } = options;
  for (;;) {
    if (signal?.aborted) return;
    const report = await checkAudit(source, checking).catch(async (error: unknown) => {
      if (signal?.aborted) return;
      if (!onError || !isCallError(error)) throw error;
      await onError(error);
    });
    if (report) yield report;
    await sleep(interval, signal).catch(() => undefined);
  }
}
