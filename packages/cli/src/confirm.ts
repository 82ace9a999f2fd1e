import { createInterface } from 'node:readline/promises';
import { WrongUsage } from './kit/index.ts';
import { inLine } from '@eaas/protocol/internal';
import { Option } from './command.ts';

export interface Erasable {
  readonly what: 'tenant' | 'key';
  readonly id: string;
  readonly name: string;
}

export function confirmOption(what: Erasable['what']) {
  const about = `the ${what}'s name. Required without a terminal; at a terminal the command asks for the name`;
  return new Option('--confirm <name>', about);
}

export function requireConfirmable(confirm: string | undefined, what: Erasable['what']): void {
  if (confirm !== undefined || process.stdin.isTTY) return;
  throw new WrongUsage(
    `Nothing was erased. Without a terminal, the command needs --confirm with the name of the ${what}.`,
  );
}

export async function requireConfirmed(
  { what, id, name }: Erasable,
  confirm: string | undefined,
  warning: string,
): Promise<void> {
  const question = `${warning}\nType the name of the ${what} to continue: `;
  const given = confirm ?? (await ask(question, 'Nothing was erased, because no name was entered.'));
  if (given !== name && given !== inLine(name))
    throw new WrongUsage(`Nothing was erased. The given name is not the name of the ${what} ${id}.`);
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
