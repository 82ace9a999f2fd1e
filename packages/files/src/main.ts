import { run } from './program.ts';

// If the reader of standard output closes the pipe early, as `head` does, the exit code is 0. Any other error of
// standard output, such as a full disk, is reported.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  process.exit(4);
});

// Calls `exit`, because an interrupted command can still wait for standard input.
process.exit(await run(process.argv.slice(2)));
