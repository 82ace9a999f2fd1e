/** Ends the process if its output cannot be written. Call this first. `unread` is the exit code if its reader has ended. */
export function guardOutput(unread?: number): void {
  const { process: own } = globalThis;
  // EPIPE is no error, because a program such as `head` closes the pipe early.
  own.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') own.exit(unread ?? own.exitCode);
    own.stderr.write(`Standard output cannot be written: ${error.message}\n`);
    own.exit(4);
  });
  // Nobody reads what cannot be written. The exit code still tells the outcome.
  own.stderr.on('error', () => {});
}
