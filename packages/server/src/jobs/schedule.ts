import { setTimeout as sleep } from 'node:timers/promises';

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
      // When the server stops, it waits at most 2 s for running jobs. This is safe, because every job can be
      // interrupted at any point.
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
    // The delay is partly random, so that replicas that started together do not run their jobs together.
    const pause = job.everySeconds * 1000 * (0.9 + 0.2 * Math.random());
    await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
  }
}
