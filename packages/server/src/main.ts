import { run } from './cli/program.ts';

// A reader that closes the pipe early is no error, as in `eaas audit export … | head`. A full disk is one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  process.exit(4);
});

process.exitCode = await run(process.argv.slice(2));
