// How jobs run: again and again, by one of all replicas at a time, on many things with one report of failures.
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../app/service.ts';
import { type Hold, LeaseLost, releaseLease, requireLease, takeLease } from './leases.ts';
import { timeLimit } from '../base/time-limit.ts';
import { tracedJob } from '../base/tracing.ts';

export interface Job {
  readonly name: string;
  readonly everySeconds: number;
  run(signal: AbortSignal): Promise<void>;
}

interface JobReport {
  readonly name: string;
  lastSuccess: number | undefined;
  failures: number;
}

export function startJobs(jobs: readonly Job[], onFailure: (job: string, error: unknown) => void) {
  const stopping = new AbortController();
  // Each job listens to the signal, and Node takes more than ten listeners for a leak.
  setMaxListeners(0, stopping.signal);
  const reports = jobs.map(({ name }): JobReport => ({ name, lastSuccess: undefined, failures: 0 }));
  const loops = jobs.map((job, index) => repeat(job, reports[index], stopping.signal, onFailure));
  return {
    reports,
    stop: async () => {
      stopping.abort();
      // When the server stops, it waits at most 2 s for running jobs. This is safe, because every job can be
      // interrupted at any point.
      await Promise.race([Promise.all(loops), sleep(timeLimit(2_000), undefined, { ref: false })]);
    },
  };
}

async function repeat(
  job: Job,
  report: JobReport | undefined,
  signal: AbortSignal,
  onFailure: (job: string, error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await tracedJob(job.name, () => job.run(signal));
      if (report) report.lastSuccess = Date.now() / 1000;
    } catch (error) {
      if (report) report.failures++;
      if (!signal.aborted) onFailure(job.name, error);
    }
    // The delay is partly random, so that replicas that started together do not run their jobs together.
    const pause = job.everySeconds * 1000 * (0.9 + 0.2 * Math.random());
    await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** Throws an error with the first failure as its `cause`, so that the log shows this failure. */
export async function forEach<T>(
  things: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  let count = 0;
  for await (const thing of things) {
    if (signal.aborted) return;
    count++;
    try {
      await work(thing);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 0) return;
  const [cause] = failures;
  throw new AggregateError(failures, `${failures.length} of ${count} failed`, { cause });
}

export interface Lease {
  readonly signal: AbortSignal;
  /**
   * Every transaction in which the job writes must begin with `hold`, which throws if another replica now runs the job.
   */
  readonly hold: Hold;
}

const longest = 60_000;

export async function withLease(
  { database }: Service,
  job: string,
  stopping: AbortSignal,
  run: (lease: Lease) => Promise<void>,
): Promise<void> {
  const holder = randomUUID();
  const renew = () => database.run((sql) => takeLease(sql, job, holder, longest));
  const row = await renew();
  if (!row) return;
  const ending = new AbortController();
  // `AbortSignal.any` is not used, because in Node 20 each of its signals takes memory as long as `stopping` exists.
  const stop = (): void => ending.abort(stopping.reason);
  stopping.addEventListener('abort', stop);
  if (stopping.aborted) stop();
  // A failed renewal does no harm: each transaction of the job checks the lease.
  const renewal = setInterval(() => {
    void renew().then(
      (renewed) => renewed?.fence !== row.fence && ending.abort(new LeaseLost(job)),
      () => {},
    );
  }, longest / 4);
  try {
    await run({ signal: ending.signal, hold: (tx) => requireLease(tx, row) });
  } finally {
    clearInterval(renewal);
    stopping.removeEventListener('abort', stop);
    // A failed release is ignored, because the lease expires after a while.
    await database.run((sql) => releaseLease(sql, row)).catch(() => {});
  }
}

/** Makes a job that only one of all replicas runs at a time. */
export const leasedJobs =
  (service: Service) =>
  (name: string, everySeconds: number, run: (lease: Lease) => Promise<void>): Job => ({
    name,
    everySeconds,
    run: (signal) => withLease(service, name, signal, run),
  });
