import { run } from './program.ts';

// EPIPE is not an error, because a program such as `head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  process.exit(4);
});

const code = await run(process.argv.slice(2));
// Exits explicitly, because an interrupted command can still wait for standard input. Waits for standard output, so that
// the handler above reports a failed write.
process.stdout.write('', (error) => {
  if (!error) process.exit(code);
});
