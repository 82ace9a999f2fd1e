// `eaas root-key`: makes a root key, checks that it opens the database, and moves all tenants from the previous one to it.
import { randomBytes } from 'node:crypto';
import { WrongUsage } from './kit/index.ts';
import { progressLine, toHex } from '@eaas/protocol/internal';
import {
  asWord,
  CannotStart,
  checkRootKey,
  createRootKeyFile,
  encodeRootKey,
  rootKey,
  rotateRootKey,
} from '@eaas/server/internal';
import { reporting, withService } from './command.ts';
import { exitCodes } from './failure.ts';
import { next, note, printResult } from './output.ts';
import { conflict } from './refusal.ts';

const generate = reporting(
  'generate',
  'Generate a root key. Prints 32 random bytes in base64, or writes them to a new file that only you can read.',
  ['root-key generate', 'root-key generate --file /etc/eaas/root.key'],
)
  .option('--file <path>', 'write the root key to this file, unless the file exists')
  .action(async ({ file, ...options }) => {
    const cannotWrite = (error: NodeJS.ErrnoException): never => {
      throw new CannotStart(`--file: the file ${file} cannot be written (${error.code}).`, { cause: error });
    };
    const bytes = file === undefined ? randomBytes(32) : await createRootKeyFile(file).catch(cannotWrite);
    if (!bytes) {
      throw conflict(`The file ${file} already exists and was not changed: pass the path of a new file.`);
    }
    const root_id = toHex(rootKey(bytes).rootId);
    const text = Buffer.from(encodeRootKey(bytes)).toString();
    if (file !== undefined) printResult({ file, root_id }, options);
    else if (options.json) printResult({ root_key: text.trimEnd(), root_id }, options);
    else process.stdout.write(text);
    bytes.fill(0);
    note(
      'Keep a copy of this key away from the database and its backups: without the key nothing can be decrypted.',
    );
    if (file !== undefined) next(`set EAAS_ROOT_KEY_FILE=${asWord(file)} for every server`, options);
  });

const check = reporting(
  'check',
  'Check that the root key opens the database. Opens the secret of every tenant, and reports whether a rotation is under ' +
    'way.',
  ['root-key check', 'root-key check --json'],
).action(async (options) => {
  const found = await withService(({ service }) => checkRootKey(service));
  printResult(found, options);
  const isBroken = found.unopened.length > 0;
  note(
    isBroken &&
      'The secrets of these tenants cannot be decrypted, because something other than the service changed their rows.',
  );
  if (isBroken) process.exitCode = exitCodes.refused;
  else if (found.under_previous > 0) next('`eaas root-key rotate`', options);
});

const rotate = reporting(
  'rotate',
  'Encrypt the secrets of all tenants under the current root key. First restart every replica with the current and ' +
    'the previous root key (EAAS_ROOT_KEY_PREVIOUS_FILE). The replicas keep serving during the rotation. Writes an entry to each audit ' +
    'log. Also encrypts the key of the public log again. No key and no ciphertext changes. Can be interrupted and repeated.',
  [
    'root-key generate --file new.key',
    'root-key rotate   # with EAAS_ROOT_KEY_FILE=new.key and EAAS_ROOT_KEY_PREVIOUS_FILE=old.key',
  ],
).action(async (options) => {
  const rotation = await withService(async ({ service }) => {
    const [current, previous] = service.roots;
    if (!previous) {
      throw new WrongUsage(
        'There is no previous root key. ' +
          'Set EAAS_ROOT_KEY_PREVIOUS_FILE to the old root key, and EAAS_ROOT_KEY_FILE to the new root key. ' +
          'Each other variable of the root key also exists with PREVIOUS.',
      );
    }
    const line = progressLine();
    const show = (done: number, all: number) =>
      line.show(done, all, `re-encrypted ${done} of ${all} tenants`);
    const { resealLogKeys } = await import('@eaas/log');
    const rotating = rotateRootKey(service, previous, show, resealLogKeys).finally(line.clear);
    const { resealed, alreadyCurrent, failed } = await rotating;
    const ids = { root_id: toHex(current.rootId), previous_root_id: toHex(previous.rootId) };
    const finished = failed.length === 0;
    return { ...ids, resealed, already_current: alreadyCurrent, failed, finished };
  });
  printResult(rotation, options);
  if (!rotation.finished) process.exitCode = exitCodes.refused;
  note(
    rotation.finished
      ? 'Restart every replica without the previous root key. Keep the previous root key as long as older backups exist.'
      : 'Some tenants were not rotated, because something other than the service changed their rows: keep both root keys.',
  );
});

export const rootKeyCommands = [generate, check, rotate];
