// Questions at the terminal, on standard error, whose answers nobody sees.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { InputError } from '@eaas/protocol';

/** Asks for the passphrase of a key file. */
export function askPassphrase(path: string): Promise<string> {
  const remedy = 'set EAAS_LOCAL_PASSPHRASE, or run the command at a terminal';
  if (!process.stdin.isTTY) {
    throw new InputError(`the key file ${path} is locked with a passphrase: ${remedy}`);
  }
  return askHidden(`The passphrase of the key file ${path}: `);
}

/** Asks twice for a new passphrase. */
export async function askNewPassphrase(path: string): Promise<string> {
  const remedy =
    'set EAAS_LOCAL_NEW_PASSPHRASE or EAAS_LOCAL_NEW_KEY_COMMAND, or run the command at a terminal';
  if (!process.stdin.isTTY) throw new InputError(`the key file ${path} needs a new passphrase: ${remedy}`);
  const given = await askHidden(`The new passphrase of the key file ${path}: `);
  if (given === (await askHidden('Again: '))) return given;
  throw new InputError('nothing was changed, because the passphrases differ');
}

/** Asks without showing what is typed. */
export async function askHidden(question: string): Promise<string> {
  // readline hides what is typed only on an output that is a terminal.
  const silent = Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), { isTTY: true });
  const terminal = createInterface({ input: process.stdin, output: silent });
  // Written when the terminal no longer shows what is typed.
  process.stderr.write(question);
  try {
    return await terminal.question('');
  } catch {
    throw new InputError('nothing was changed, because nothing was entered'); // by Ctrl-C or Ctrl-D
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
