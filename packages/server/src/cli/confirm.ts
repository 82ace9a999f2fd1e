import { createInterface } from 'node:readline/promises';
import { WrongUsage } from './failure.ts';

export interface Erasable {
  readonly what: 'tenant' | 'key';
  readonly id: string;
  readonly name: string;
}

/** Throws WrongUsage if --confirm is absent and there is no terminal at which the command can ask the user. */
export function requireConfirmable(confirm: string | undefined, what: Erasable['what']): void {
  if (confirm !== undefined || process.stdin.isTTY) return;
  throw new WrongUsage(
    `There is no terminal: add --confirm with the name of the ${what}. Nothing was erased.`,
  );
}

/** Prints a warning, and throws WrongUsage unless the user types the correct name or has passed it as --confirm. */
export async function requireConfirmed(
  { what, id, name }: Erasable,
  confirm: string | undefined,
  warning: string,
): Promise<void> {
  const given = confirm ?? (await ask(`${warning}\nType the name of the ${what} to continue: `));
  if (given !== name) throw new WrongUsage(`That is not the name of the ${what} ${id}. Nothing was erased.`);
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
