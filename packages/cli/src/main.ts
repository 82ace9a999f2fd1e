import { guardOutput } from './kit/index.ts';
import { run, tell } from './program.ts';
import { isDriverFault } from '@eaas/server/internal';

guardOutput();

// If a database connection breaks, postgres.js also throws errors in timers. The process ignores these errors, because
// the query on this connection reports its own error to the caller.
process.on('uncaughtException', (error) => {
  if (!isDriverFault(error)) process.exit(tell(error));
});

process.exitCode = await run(process.argv.slice(2));
