import { run, tell } from './program.ts';
import { isDriverFault } from '@eaas/server/internal';

// In `eaas audit export … | head`, the reader closes the pipe early, so EPIPE is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  process.exit(4);
});

// Nobody reads what cannot be written. The exit code still tells the outcome.
process.stderr.on('error', () => {});

// If a database connection breaks, postgres.js also throws errors in timers. The process ignores these errors, because
// the query on this connection reports its own error to the caller.
process.on('uncaughtException', (error) => {
  if (!isDriverFault(error)) process.exit(tell(error));
});

process.exitCode = await run(process.argv.slice(2));
