import { createInterface } from 'node:readline/promises';
import { inLine } from '@eaas/protocol/internal';
import { WrongUsage } from './failure.ts';

export interface Erasable {
  readonly what: 'tenant' | 'key';
  readonly id: string;
  readonly name: string;
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
  const given = confirm ?? (await ask(`${warning}\nType the name of the ${what} to continue: `));
  if (given !== name && given !== inLine(name))
    throw new WrongUsage(`Nothing was erased. The given name is not the name of the ${what} ${id}.`);
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } catch {
    throw new WrongUsage('\nNothing was erased, because no name was entered.'); // by Ctrl-C or Ctrl-D
  } finally {
    terminal.close();
  }
}
