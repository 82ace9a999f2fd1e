import { run } from './cli/program.ts';

// In `eaas audit export … | head`, the reader closes the pipe early, so EPIPE is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  process.exit(4);
});

process.exitCode = await run(process.argv.slice(2));
