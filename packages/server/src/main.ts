import { run } from './cli/program.ts';

// In `eaas audit export … | head`, the reader closes the pipe early, and the exit code is 0. Any other error of
// standard output, such as a full disk, is reported.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  process.exit(4);
});

process.exitCode = await run(process.argv.slice(2));
