// Asks before something is erased or changed for good. Without a terminal, only an option is an answer.
import { createInterface } from 'node:readline/promises';
import { WrongUsage } from './kit/index.ts';
import { inLine } from '@eaas/protocol/internal';
import { Option } from './command.ts';

export const confirmOption = (what: 'tenant' | 'key') =>
  new Option(
    '--confirm <name>',
    `the ${what}'s name. Required without a terminal; at a terminal the command asks for the name`,
  );

/** Without a terminal, only an option can confirm. */
export function requireConfirmable(given: unknown, option: string): void {
  if (given === undefined && !process.stdin.isTTY) {
    throw new WrongUsage(`Nothing was erased. Without a terminal, the command needs ${option}.`);
  }
}

/** Asks for the name of what will be erased, unless the option has it. */
export async function requireConfirmed(what: string, name: string, warning: string, confirm?: string) {
  const question = `${warning}\nType the name of the ${what} to continue: `;
  const given = confirm ?? (await ask(question, 'Nothing was erased, because no name was entered.'));
  if (given !== name && given !== inLine(name)) {
    throw new WrongUsage(`Nothing was erased. The given name is not the name of the ${what}.`);
  }
}

/** Asks whether to continue. Without a terminal, only `--yes` is an answer. */
export async function requireYes(yes: true | undefined, warning: string): Promise<void> {
  if (yes) return;
  const nothing = 'Nothing was changed.';
  if (!process.stdin.isTTY) throw new WrongUsage(`${nothing} ${warning} To do this, add --yes.`);
  const given = await ask(`${warning}\nType yes to continue: `, nothing);
  if (given !== 'yes') throw new WrongUsage(nothing);
}

/** Asks at the terminal, on standard error. */
export async function ask(question: string, refusal: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } catch {
    throw new WrongUsage(`\n${refusal}`); // by Ctrl-C or Ctrl-D
  } finally {
    terminal.close();
  }
}
