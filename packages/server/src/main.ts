import { run, tell } from './cli/program.ts';
import { isDriverFault } from './store/faults.ts';

// In `eaas audit export … | head`, the reader closes the pipe early, so EPIPE is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  process.exit(4);
});

// After a lost connection, postgres.js throws errors in timers. The caller of the query gets a separate error.
process.on('uncaughtException', (error) => {
  if (!isDriverFault(error)) process.exit(tell(error));
});

process.exitCode = await run(process.argv.slice(2));
