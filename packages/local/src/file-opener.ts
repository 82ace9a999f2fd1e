// What opens a key file: nothing, a passphrase or a program; and the program that opens a variable, by a key service. Only this
// file of the package reads variables of Eaas, but for EAAS_KEY_ID (opener.ts).
import { spawnSync, type SpawnSyncOptionsWithBufferEncoding } from 'node:child_process';
import { randomBytes, scryptSync } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { InputError } from '@eaas/protocol';
import { readBase64, toBase64 } from '@eaas/protocol/internal-base64';
import { attempt } from '@eaas/protocol/internal';
import { sameBytes } from '@eaas/service';
import { keyOfService, type Opener, sealedBytesOf, unlocked } from './opener.ts';
import type { Open } from './opening.ts';

/** Reads the variables of the lock, or of the lock that a file is to get. */
export function openerOfEnvironment(prefix: 'EAAS_LOCAL' | 'EAAS_LOCAL_NEW' = 'EAAS_LOCAL'): Opener {
  const ofPassphrase = `${prefix}_PASSPHRASE`;
  const ofProgram = `${prefix}_KEY_COMMAND`;
  const { [ofPassphrase]: passphrase, [ofProgram]: program } = process.env;
  if (passphrase !== undefined && program !== undefined) {
    throw new InputError(`set either ${ofPassphrase} or ${ofProgram} (got both)`);
  }
  if (passphrase !== undefined) return passphraseOpener(passphrase);
  if (program === undefined) return unlocked;
  return { kind: 'key', newLock: () => ({ kind: 'key' }), keyFor: () => printedBy(ofProgram) };
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

/**
 * Reads the variable of the program that seals and opens by a key service, for the lock that keys in a variable have, or are to
 * get. Nothing locks them if it is not set.
 */
export function kmsOfEnvironment(prefix: 'EAAS_LOCAL' | 'EAAS_LOCAL_NEW' = 'EAAS_LOCAL'): Opener {
  const variable = `${prefix}_KMS_COMMAND`;
  if (process.env[variable] === undefined) {
    if (prefix === 'EAAS_LOCAL') return unlocked;
    throw new InputError(`set ${variable} to the program of the new key service`);
  }
  let drawn: Uint8Array<ArrayBuffer> | undefined;
  return {
    kind: 'kms',
    newLock: () => {
      drawn = randomBytes(32);
      const sealed = printedBy(variable, ['seal'], drawn, 2_048);
      return { kind: 'kms', sealed: toBase64(sealed) };
    },
    keyFor: (lock, tenantId) => {
      const opened = printedBy(variable, ['open'], sealedBytesOf(lock));
      const isAnother = drawn && !sameBytes(drawn, opened);
      drawn?.fill(0);
      if (isAnother) throw new InputError(`the program of ${variable} does not open what it sealed`);
      return keyOfService(opened, tenantId);
    },
  };
}

/** The option `open` of a local service in a command, by the program of a key service, if its variable is set. */
export const openOfEnvironment = (variable = 'EAAS_LOCAL_KMS_COMMAND'): { readonly open?: Open } =>
  process.env[variable] === undefined ? {} : { open: (sealed) => printedBy(variable, ['open'], sealed) };

/** The secrets in the variables with these names, which can be in `.env`. */
export function secretsOfEnvironment(names: readonly string[]) {
  attempt(() => process.loadEnvFile());
  return names.map((name) => process.env[name]);
}

/** The keys in the variable that the command makes, if it is set. */
export const sealedOfEnvironment = (): string | undefined => process.env['EAAS_LOCAL'];

/**
 * Runs the program that a variable names, without a shell. It gets the input in base64, and must print base64 of 32 bytes, or of up
 * to `most`. Its environment has its own credentials, and nothing of ours. No secret is in an argument or in an error.
 */
function printedBy(variable: string, args: string[] = [], input = new Uint8Array(), most = 32): Uint8Array {
  const program = process.env[variable] ?? '';
  const [least, sizes] = most === 32 ? [32, '32 bytes'] : [1, `1 to ${most} bytes`];
  const fail = (what: string) =>
    new InputError(`${variable}: the program ${program} ${what}, but must print ${sizes} in base64 alone`);
  if (!isAbsolute(program)) {
    throw new InputError(`${variable} must be the absolute path of a program, without arguments`);
  }
  const others = Object.entries(process.env).filter(([name]) => !/^(?:EAAS_.*|DATABASE_URL)$/.test(name));
  const line = Buffer.from(`${toBase64(input)}\n`);
  const { pid, error, status, stdout } = spawnSync(program, args, {
    env: Object.fromEntries(others),
    input: line,
    stdio: ['pipe', 'pipe', 'inherit'],
    // A group of processes of its own, which can be ended as one.
    detached: true,
    timeout: 30_000,
    // A program can ignore SIGTERM, and would then run on while this process waits.
    killSignal: 'SIGKILL',
    maxBuffer: 2 * most + 960,
  } as SpawnSyncOptionsWithBufferEncoding);
  if (error && pid > 0) attempt(() => process.kill(-pid, 'SIGKILL'));
  try {
    const code = error && (error as NodeJS.ErrnoException).code;
    // A program that ends without reading its input says more by its exit code.
    if (error && code !== 'EPIPE') throw fail(`cannot be run (${code})`);
    if (status !== 0) throw fail(`ended with exit code ${status}`);
    const bytes = readBase64(stdout.toString('latin1').replace(/\r?\n$/, ''));
    if (!bytes || bytes.length < least || bytes.length > most) {
      throw fail(
        `printed ${bytes ? `${bytes.length} bytes` : `${stdout.length} characters that are no base64`}`,
      );
    }
    return bytes;
  } finally {
    line.fill(0);
    stdout?.fill(0);
  }
}
