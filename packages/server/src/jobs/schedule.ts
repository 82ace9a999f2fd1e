import { setTimeout as sleep } from 'node:timers/promises';

/** Something that is done again and again while the server runs. */
export interface Job {
  readonly name: string;
  readonly everySeconds: number;
  run(signal: AbortSignal): Promise<void>;
}

export interface JobReport {
  readonly name: string;
  /** Seconds since 1970 of the last run that succeeded; undefined before the first. */
  lastSuccess: number | undefined;
  failures: number;
}

/** Runs jobs until it is stopped. One that fails is reported, and tried again when it is due again. */
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
      // What hangs with the database is left: a job can be interrupted anywhere.
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
    // Replicas that started together do not stay in step.
    const pause = job.everySeconds * 1000 * (0.9 + 0.2 * Math.random());
    await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
  }
}
