import { run } from './cli/program.ts';

// Whoever reads the output may have enough of it, as in `eaas audit export … | head`; a full disk is another matter.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  process.exit(4);
});

process.exitCode = await run(process.argv.slice(2));
