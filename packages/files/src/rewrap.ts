// `eaas-files rewrap`: moves files to the newest version of their key, and leaves one alone that changes meanwhile.
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { printRows, WrongUsage } from './kit.ts';
import type { EaasClient } from '@eaas/sdk';
import { encodeBase64, openCiphertext } from './ciphertext.ts';
import { type FileCommand, option, type Run } from './command.ts';
import {
  insecureHttp,
  quiet,
  recursive,
  requireSubjectMatch,
  subjectOption,
  withClient,
} from './connection.ts';
import { forEachFile } from './each.ts';
import { FileFailure } from './failure.ts';
import { findInputs, type Input, isEncryptedName, standard } from './inputs.ts';
import { type Source, withoutLinks } from './read.ts';
import { writePieces } from './write.ts';

export const rewrap: FileCommand = {
  name: 'rewrap',
  about:
    'Move files to the newest version of their key, after a rotation. The service wraps the data key again. Writes only ' +
    'the first bytes of each file, in place, and decrypts nothing. Leaves a file alone that changes meanwhile, and follows ' +
    'no symbolic link. Does not notice a damaged file. With standard input, writes the result to standard output.',
  options: [
    recursive,
    subjectOption,
    option('--json', 'print one line of JSON for each file'),
    insecureHttp,
    quiet,
  ],
  examples: ['eaas-files rewrap report.pdf.eaas', 'eaas-files rewrap --recursive archive'],
  takesPaths: true,
  run: rewrapFiles,
};

interface Result {
  readonly path: string;
  readonly key_id: string;
  readonly key_version: number;
  readonly rewrapped: boolean;
}

async function rewrapFiles(run: Run): Promise<number> {
  const { options, progress, stop } = run;
  const { subject } = options;
  const { signal } = stop;
  const { inputs, unreadable } = await findInputs(run, isEncryptedName);
  const isPipe = inputs.some(({ path }) => path === standard);
  if (isPipe && process.stdout.isTTY) {
    throw new WrongUsage('A terminal cannot show binary ciphertext: redirect standard output.');
  }
  progress.expect(undefined, inputs.length);
  const results: Result[] = [];
  const turns = new Map<string, Promise<unknown>>();
  const failures = await withClient(options, (client) =>
    forEachFile(
      run,
      inputs.map((input) => ({ input })),
      async (source, { input }) => {
        const work = () => rewrapFile(input, source, client, { subject, signal });
        results.push(await inTurn(turns, source, work));
      },
      { atOnce: 32, followsLink: false },
    ),
  );
  const rows = results.sort((a, b) => (a.path < b.path ? -1 : 1));
  if (!isPipe) printRows(rows, ['path', 'key_id', 'key_version', 'rewrapped'], options.json === true);
  return unreadable + failures;
}

/** Works on a file only once at a time, because hard links to one file are several inputs. */
async function inTurn<T>(
  turns: Map<string, Promise<unknown>>,
  { file }: Source,
  work: () => Promise<T>,
): Promise<T> {
  if (!file) return work();
  const { dev, ino } = await file.handle.stat({ bigint: true });
  const name = `${dev} ${ino}`;
  const result = Promise.allSettled([turns.get(name)]).then(work);
  turns.set(name, result);
  return result;
}

async function rewrapFile(
  { path }: Input,
  { pieces, file }: Source,
  client: EaasClient,
  { subject, signal }: { readonly subject: string | undefined; readonly signal: AbortSignal },
): Promise<Result> {
  if (!file && path !== standard) throw new FileFailure('is not a file: pass its content to standard input.');
  const before = await file?.handle.stat({ bigint: true });
  const ciphertext = await openCiphertext(pieces);
  const { length, wrappedKey } = ciphertext.header;
  requireSubjectMatch(wrappedKey, subject, { isRewrap: true });
  const header = ciphertext.beginning.subarray(0, length);
  const options = { signal, ...(subject !== undefined && { subject }) };
  const { ciphertext: renewed, keyId, keyVersion, rewrapped } = await client.rewrap(header, options);
  const result = { path, key_id: keyId, key_version: keyVersion, rewrapped };
  const all = withHeader(ciphertext.bytes, renewed, length);
  const replaced = ciphertext.isText ? encodeBase64(all) : all;
  if (!before || !file) {
    await writePieces(path, replaced, { force: true, mode: undefined });
    return result;
  }
  if (!rewrapped) return result;
  if (!ciphertext.isText && renewed.length === length && length <= sectorLength) {
    await overwrite(path, before, header, renewed);
    return result;
  }
  await writePieces(path, replaced, {
    force: true,
    mode: file.mode,
    beforeRename: async () => {
      const now = await lstat(path, { bigint: true }).catch(() => undefined);
      if (!now || !isUnchanged(now, before)) throw changed();
    },
  });
  return result;
}

// A disk writes a sector as a whole, so a crash leaves the old header or the new one, but never a mixture of both.
const sectorLength = 512;

/**
 * Overwrites the header of the file that was read. A file that has taken its name since, or that now begins with
 * another header, stays as it is: only the header that was read has the data key that the new header wraps. Opens the
 * file a second time, so that a file that needs no new header is never opened for writing. The caller still has it
 * open, so that no other file can have its inode.
 */
async function overwrite(
  path: string,
  { dev, ino }: BigIntStats,
  header: Uint8Array,
  renewed: Uint8Array,
): Promise<void> {
  const file = await open(path, constants.O_RDWR | withoutLinks).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' || error.code === 'ENOENT' ? changed() : error;
  });
  try {
    const now = await file.stat({ bigint: true });
    if (now.dev !== dev || now.ino !== ino || !(await beginsWith(file, header))) throw changed();
    await file.write(renewed, 0, renewed.length, 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function beginsWith(file: FileHandle, header: Uint8Array): Promise<boolean> {
  const found = Buffer.alloc(header.length);
  await file.read(found, 0, found.length, 0);
  return found.equals(header);
}

/** Compares the time of the last change of the inode too, because programs can set the time of the last write. */
function isUnchanged(now: BigIntStats, before: BigIntStats): boolean {
  const members = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const;
  return members.every((member) => now[member] === before[member]);
}

const changed = (): FileFailure =>
  new FileFailure(
    'the file was changed, replaced or removed meanwhile, and was left alone: run the command again.',
  );

/** Puts a header in the place of the first bytes. */
async function* withHeader(
  bytes: AsyncIterable<Uint8Array>,
  header: Uint8Array,
  replaces: number,
): AsyncGenerator<Uint8Array> {
  yield header;
  let left = replaces;
  for await (const piece of bytes) {
    const rest = piece.subarray(left);
    left = 0;
    if (rest.length > 0) yield rest;
  }
}
