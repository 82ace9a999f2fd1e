// Works on many files at once. One that fails is reported and counted; an error that concerns them all ends the command.
import { note } from './kit.ts';
import { inLine } from '@eaas/protocol/internal';
import type { Run } from './command.ts';
import { fileFailureOf } from './failure.ts';
import { type Input, standard } from './inputs.ts';
import { type Source, withSource } from './read.ts';

/** Opens the inputs of jobs, several at once, and works on each. Returns the number of those that failed. */
export async function forEachFile<Job extends { readonly input: Input }>(
  run: Pick<Run, 'stop' | 'progress'>,
  jobs: readonly Job[],
  work: (source: Source, job: Job) => Promise<void>,
  { atOnce = 8, followsLink }: { atOnce?: number; followsLink?: boolean } = {},
): Promise<number> {
  const { stop, progress } = run;
  let failures = 0;
  const queue = jobs.values();
  const one = async (job: Job): Promise<void> => {
    try {
      await withSource(run, job.input, (source) => work(source, job), followsLink);
      progress.finishFile();
    } catch (error) {
      stop.signal.throwIfAborted();
      const message = fileFailureOf(error);
      if (message === undefined) {
        stop.abort(error);
        throw error;
      }
      failures++;
      progress.clearLine();
      note(`${inLine(nameOf(job.input))}: ${message}`);
    }
  };
  const worker = async (): Promise<void> => {
    for (const job of queue) {
      stop.signal.throwIfAborted();
      await one(job);
    }
  };
  const results = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  progress.clearLine();
  // Throws only after the work on all files has ended. An earlier exit would leave temporary files.
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return failures;
}

export function nameOf({ path }: Input): string {
  return path === standard ? 'standard input' : path;
}

export function expectAll({ progress }: Pick<Run, 'progress'>, inputs: readonly Input[]): void {
  const total = inputs.reduce((sum, { size = NaN }) => sum + size, 0);
  progress.expect(Number.isNaN(total) ? undefined : total, inputs.length);
}
