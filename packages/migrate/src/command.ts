// The command `npx --no-install @eaas/migrate`: `adopt` converts columns that an app has encrypted, `check` compares a definition with its
// database, `decrypt` stores plaintext, `leak` measures index columns, and `open` writes values in clear.
import { existsSync } from 'node:fs';
import { EaasError, InputError } from '@eaas/protocol';
import * as adopt from './adopt/command.ts';
import * as check from './check/command.ts';
import * as decrypt from './decrypt.ts';
import * as leak from './leak.ts';
import * as open from './open/command.ts';

/** By the names in their helps. */
export const all = [adopt, check, decrypt, leak, open];
const commands = new Map(all.map((each) => [each.help.split(' ')[4], each] as const));

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
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    // Of libsql, only the message tells.
    const known = /^(?:ERR_(?:PARSE_ARGS|UNKNOWN_FILE|SQLITE)|SQLITE|ConnectionFailed)/;
    const isOfUser = syscall !== undefined || known.test(code || message);
    if (!(error instanceof EaasError) && !isOfUser) throw error;
    process.stderr.write(`${message}\nHelp: \`npx --no-install @eaas/migrate --help\`\n`);
    return 2;
  }
}
