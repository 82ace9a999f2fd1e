import { run } from './program.ts';

// `head` closes the pipe early, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  process.exit(4);
});

// An interrupted command can still wait for standard input, so the process must exit explicitly.
process.exit(await run(process.argv.slice(2)));
