// Starts `eaas-files`, and ends the process once all output was written.
import { guardOutput } from '@eaas/protocol/internal';
import { run } from './program.ts';

guardOutput();
const code = await run(process.argv.slice(2));
// Exits explicitly, because an interrupted command can still wait for standard input. Before this, the output must be
// written. If writing fails, the handler of `error` ends the process.
process.stdout.write('', (error) => {
  if (!error) process.exit(code);
});
