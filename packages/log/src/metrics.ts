// What /metrics shows of the log. Every replica reads its state, so that an alarm does not depend on which replica runs the job.
import { addMetrics, databaseTime, type Service } from '@eaas/server/internal';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { LogState } from './moment.ts';
import { currentLog, newestMoment, witnessedMoment } from './rows.ts';

/** Reads what the metrics show. */
export async function readState({ background }: Service, state: LogState): Promise<void> {
  await background.run(async (sql) => {
    const log = await currentLog(sql);
    state.isHalted = typeof log?.halted === 'string';
    if (!log) return;
    const newest = await newestMoment(sql, log.origin);
    const witnessed = await witnessedMoment(sql, log.origin);
    const now = await databaseTime(sql);
    // While the service is idle, the newest checkpoint is as good as a new one.
    const since = newest && newest.index === witnessed?.index ? now : (witnessed?.time ?? log.created_at);
    state.age = { milliseconds: now - since, readAt: performance.now() };
  });
}

/** Adds the metrics of the log to a registry. */
export function registerMetrics(state: LogState, registry: Registry): void {
  addMetrics(registry, Gauge, {
    eaas_log_halted: [
      'Whether the public log was halted (1), so that no moment follows.',
      () => Number(state.isHalted ?? false),
    ],
    eaas_log_witnessed_age_seconds: [
      'How old the newest checkpoint is that enough witnesses signed; 0 while no newer one waits for them.',
      () => secondsSince(state.age),
    ],
  });
  addMetrics(registry, Counter, {
    eaas_log_witness_failures_total: [
      'Requests to a witness that failed, by its name in the policy.',
      () => state.failures,
      'witness',
    ],
  });
}

function secondsSince({ milliseconds, readAt }: LogState['age'] = { milliseconds: 0, readAt: 0 }): number {
  return milliseconds === 0 ? 0 : (milliseconds + performance.now() - readAt) / 1_000;
}
