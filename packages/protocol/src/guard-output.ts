/** Ends the process if its output cannot be written. Call this first. `unread` is the exit code if its reader has ended. */
export function guardOutput(unread?: number): void {
  // EPIPE is no error, because a program such as `head` closes the pipe early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(unread ?? process.exitCode);
    process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
    process.exit(4);
  });
  // Nobody reads what cannot be written. The exit code still tells the outcome.
  process.stderr.on('error', () => {});
}
