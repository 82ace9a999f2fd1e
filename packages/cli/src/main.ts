// Starts `eaas`, and catches what its commands cannot: faults of the database driver, a closed pipe, and the end of npx.
import { guardOutput } from '@eaas/protocol/internal';
import { isRunByNpx } from './config.ts';
import { run, tell } from './program.ts';
import { isDriverFault } from '@eaas/server/internal';

guardOutput();

// If a database connection breaks, postgres.js also throws errors in timers. The process ignores these errors, because
// the query on this connection reports its own error to the caller.
process.on('uncaughtException', (error) => {
  if (!isDriverFault(error)) process.exit(tell(error, process.argv.slice(2)));
});

// npx passes a signal to the shell that it started, and `sh` of Debian ends without passing it on. So the command ends
// when its parent does.
if (isRunByNpx()) {
  const { ppid } = process;
  const watch = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(watch);
    process.emit('SIGTERM');
  }, 500).unref();
}

process.exitCode = await run(process.argv.slice(2));
