import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import type { FastifyBaseLogger } from 'fastify';
import { isDriverFault } from '../store/faults.ts';

export interface Report {
  to: Pick<FastifyBaseLogger, 'error' | 'fatal'> | undefined;
}

/** Limits the growth of the heap, and lets the process survive errors that the database driver throws in timers. */
export function prepareProcess(): Report {
  // By default, V8 lets a small heap grow to several times the size of its live objects.
  setFlagsFromString('--heap-growing-percent=100');
  const report: Report = { to: undefined };
  process.prependListener('uncaughtException', (error) => {
    if (isDriverFault(error)) {
      report.to?.error({ err: error }, 'the database connection broke and is being replaced');
      return;
    }
    if (report.to) report.to.fatal({ err: error }, 'an unexpected error');
    else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(70);
  });
  return report;
}

/** Resolves at the first SIGTERM or SIGINT. */
export async function untilStopped(): Promise<void> {
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
}

/** Exits after half a second, even if a connection to an unresponsive database is still open. */
export function exitSoon(): void {
  setTimeout(() => process.exit(), 500).unref();
}
