import { run } from './program.ts';

// EPIPE is not an error, because a program such as `head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  process.exit(4);
});

const code = await run(process.argv.slice(2));
// Exits explicitly, because an interrupted command can still wait for standard input. Before this, the output must be
// written. If writing fails, the handler of `error` ends the process.
process.stdout.write('', (error) => {
  if (!error) process.exit(code);
});
