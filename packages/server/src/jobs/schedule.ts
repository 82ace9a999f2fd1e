import { setTimeout as sleep } from 'node:timers/promises';

/** Work that is repeated while the server runs. */
export interface Job {
  readonly name: string;
  readonly everySeconds: number;
  run(signal: AbortSignal): Promise<void>;
}

export interface JobReport {
  readonly name: string;
  /** The time of the last successful run, in seconds since 1970; undefined before the first. */
  lastSuccess: number | undefined;
  failures: number;
}

/** Runs jobs until `stop` is called. Reports each failure, and runs the job again when it is due. */
export function startJobs(
  jobs: readonly Job[],
  onFailure: (job: string, error: unknown) => void,
): { reports: readonly JobReport[]; stop: () => Promise<void> } {
  const stopping = new AbortController();
  const reports = jobs.map(({ name }): JobReport => ({ name, lastSuccess: undefined, failures: 0 }));
  const loops = jobs.map((job, index) => repeat(job, reports[index], stopping.signal, onFailure));
  return {
    reports,
    stop: async () => {
      stopping.abort();
      // Waits at most 2 s for running jobs. A job that takes longer is abandoned, which is safe because every job can
      // be interrupted at any point.
      await Promise.race([Promise.all(loops), sleep(2_000, undefined, { ref: false })]);
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
      await job.run(signal);
      if (report) report.lastSuccess = Date.now() / 1000;
    } catch (error) {
      if (report) report.failures++;
      if (!signal.aborted) onFailure(job.name, error);
    }
    // The random part of the delay spreads the jobs of replicas that started at the same time.
    const pause = job.everySeconds * 1000 * (0.9 + 0.2 * Math.random());
    await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
  }
}
