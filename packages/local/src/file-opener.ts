// What opens a key file: nothing, a passphrase or a program. Only this file of the package reads environment variables.
import { spawnSync } from 'node:child_process';
import { randomBytes, scryptSync } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { InputError } from '@eaas/protocol';
import { readBase64, toBase64 } from '@eaas/protocol/base64';
import { type Opener, unlocked } from './opener.ts';

/** Reads the variables of the lock, or of the lock that a file is to get. */
export function openerOfEnvironment(prefix: 'EAAS_LOCAL' | 'EAAS_LOCAL_NEW' = 'EAAS_LOCAL'): Opener {
  const [ofPassphrase, ofProgram] = [`${prefix}_PASSPHRASE`, `${prefix}_KEY_COMMAND`];
  const { [ofPassphrase]: passphrase, [ofProgram]: program } = process.env;
  if (passphrase !== undefined && program !== undefined)
    throw new InputError(`set either ${ofPassphrase} or ${ofProgram} (got both)`);
  if (passphrase !== undefined) return passphraseOpener(passphrase);
  if (program === undefined) return unlocked;
  return { kind: 'key', newLock: () => ({ kind: 'key' }), keyFor: () => keyPrintedBy(program, ofProgram) };
}

export function passphraseOpener(passphrase: string): Opener {
  if (passphrase === '') throw new InputError('the passphrase of a key file must not be empty');
  return {
    kind: 'passphrase',
    newLock: () => ({ kind: 'passphrase', salt: toBase64(randomBytes(16)) }),
    keyFor: (lock) => {
      const salt = lock.kind === 'passphrase' ? readBase64(lock.salt) : undefined;
      if (!salt) throw new TypeError('the lock must have a salt in base64');
      return scryptSync(passphrase.normalize('NFC'), salt, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 });
    },
  };
}

/** The keys in the variable that the command makes, if it is set. */
export const sealedOfEnvironment = (): string | undefined => process.env['EAAS_LOCAL'];

export const isProduction = (): boolean => process.env['NODE_ENV'] === 'production';

function keyPrintedBy(program: string, variable: string): Uint8Array {
  const fail = (what: string) =>
    new InputError(
      `${variable}: the program ${program} ${what}. It must print 32 bytes in base64 (44 characters) and nothing else`,
    );
  if (!isAbsolute(program))
    throw new InputError(`${variable} must be the absolute path of a program, without arguments`);
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  const { error, status, stdout } = spawnSync(program, [], { stdio, timeout: 10_000, maxBuffer: 1_024 });
  try {
    if (error) throw fail(`cannot be run (${(error as NodeJS.ErrnoException).code})`);
    if (status !== 0) throw fail(`ended with exit code ${status}`);
    const key = readBase64(stdout.toString('latin1').replace(/\r?\n$/, ''));
    if (key?.length !== 32) throw fail('printed something else');
    return key;
  } finally {
    stdout?.fill(0);
  }
}
