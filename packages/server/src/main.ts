import { run } from './cli/program.ts';

// If the reader of a pipe closes it early, as in `eaas audit export … | head`, the exit code is 0. Any other error of
// standard output, such as a full disk, is reported.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  process.exit(4);
});

process.exitCode = await run(process.argv.slice(2));
