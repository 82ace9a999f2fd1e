// The command `npx --no-install @eaas/migrate`: `adopt` converts columns that an app has encrypted, and `leak` measures index columns.
import { existsSync } from 'node:fs';
import { EaasError, InputError } from '@eaas/protocol';
import * as adopt from './adopt/command.ts';
import * as leak from './leak.ts';

interface Command {
  readonly help: string;
  readonly run: (args: readonly string[]) => Promise<number>;
}

const commands = new Map<string, Command>([
  ['adopt', adopt],
  ['leak', leak],
]);

/** Runs a command, and returns its exit code: 0 if nothing old is left, 1 if something is, and 2 if it was refused. */
export async function run(args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args;
  const command = commands.get(name);
  try {
    if (args.includes('--help') || args.includes('-h')) {
      const helps = [...commands.values()].map(({ help }) => help);
      process.stdout.write(command?.help ?? helps.join('\n'));
      return 0;
    }
    if (!command) throw new InputError(`pass one command: \`${[...commands.keys()].join('`, `')}\``);
    if (existsSync('.env')) process.loadEnvFile();
    return await command.run(rest);
  } catch (error) {
    const isOfArguments = /^ERR_(?:PARSE_ARGS|UNKNOWN_FILE)/.test(String((error as { code?: unknown }).code));
    if (!(error instanceof EaasError) && !isOfArguments) throw error;
    process.stderr.write(`${(error as Error).message}\nHelp: \`npx --no-install @eaas/migrate --help\`\n`);
    return 2;
  }
}
