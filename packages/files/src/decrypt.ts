// `eaas-files decrypt`, with the service or an exported key. A file gets its name only after all of it was authentic.
import { WrongUsage } from './kit.ts';
import { type Context, DecryptionError, open, parseUuid } from '@eaas/protocol';
import { inLine } from '@eaas/protocol/internal';
import { nodeEngine } from '@eaas/protocol/node';
import { unwrapBy } from '@eaas/sdk/internal';
import { decryptStream } from '@eaas/sdk/stream';
import { one, openCiphertext, sizeWithin } from './ciphertext.ts';
import { type FileCommand, option, type Run } from './command.ts';
import {
  contextIn,
  contextOption,
  insecureHttp,
  type Opener,
  opening,
  quiet,
  recursive,
  requireSubjectMatch,
  subjectOption,
  withOpener,
} from './connection.ts';
import { expectAll, forEachFile } from './each.ts';
import { FileFailure } from './failure.ts';
import { findInputs, isEncryptedName, standard, suffix } from './inputs.ts';
import { planOutputs } from './output-paths.ts';
import { collect, type Source, streamOf } from './read.ts';
import { underUmask, writePieces } from './write.ts';

export const decrypt: FileCommand = {
  name: 'decrypt',
  about:
    'Decrypt files, folders or standard input. Writes report.pdf beside report.pdf.eaas. The file has its name only ' +
    'after all of it was authenticated. Reads standard input if no path is named, and then writes to standard output. ' +
    'In folders, reads only files that end in .eaas. Also decrypts single values, as bytes or in base64.',
  options: [
    option('-o, --out <path>', 'write to this file or folder, or to standard output (-)'),
    recursive,
    option('-f, --force', 'overwrite existing files'),
    ...opening,
    contextOption,
    subjectOption,
    insecureHttp,
    quiet,
  ],
  examples: [
    'eaas-files decrypt report.pdf.eaas',
    'eaas-files decrypt --recursive photos-encrypted --out photos',
    'eaas-files decrypt < project.tar.eaas | tar x',
    'eaas-files decrypt report.pdf.eaas --exported-key key.json --private-key private.pem',
  ],
  takesPaths: true,
  run: decryptFiles,
};

async function decryptFiles(run: Run): Promise<number> {
  const { options } = run;
  const context = contextIn(options);
  const { out, force = false, subject } = options;
  const { inputs, unreadable } = await findInputs(run, isEncryptedName);
  const jobs = await planOutputs(inputs, { out, force, rename: withoutSuffix });
  if (process.stdout.isTTY && jobs.some(({ output }) => output === standard)) run.progress.hide();
  expectAll(run, inputs);
  const failures = await withOpener(options, (opener) =>
    forEachFile(run, jobs, async (source, { output }) => {
      const plaintext = await decrypted(source, opener, { context, subject, signal: run.stop.signal });
      const mode = source.file && underUmask(source.file.mode);
      await writePieces(output, plaintext, { force, mode });
    }),
  );
  return unreadable + failures;
}

// A single value can only be decrypted as a whole, in memory.
const maxValueLength = 268_435_456;

interface Opening {
  readonly context: Context | undefined;
  readonly subject: string | undefined;
  readonly signal: AbortSignal;
}

async function decrypted(
  { pieces, file }: Source,
  opener: Opener,
  { context, subject, signal }: Opening,
): Promise<AsyncIterable<Uint8Array>> {
  const { client, expected } = opener;
  const ciphertext = await openCiphertext(pieces);
  const { kind, bytes, isText, header } = ciphertext;
  // Throws for a file that cannot be complete.
  if (file && !isText) sizeWithin(ciphertext, file.size);
  requireAccepted(header.keyId, opener);
  requireSubjectMatch(header.wrappedKey, subject);
  if (kind === 'stream') {
    const options = { ...expected, context, signal, ...(subject !== undefined && { subject }) };
    return explained(streamOf(bytes).pipeThrough(decryptStream(client, options)));
  }
  const { anyKey, keyId = [] } = expected;
  const unwrap = unwrapBy(client, { signal, ...(subject !== undefined && { subject }) });
  const options = { context, engine: nodeEngine, ...(anyKey ? { anyKey } : { keyId }) };
  const envelope = await collect(bytes, maxValueLength);
  if (envelope) return one(await open(envelope, unwrap, options));
  throw new FileFailure('a single value must have at most 256 MiB (got more): encrypt large data as a file');
}

/** Says which key is missing: the ciphertext names its key for everybody, so the error reveals nothing. */
function requireAccepted(found: string, { expected: { anyKey, keyId = [] }, elsewhere }: Opener): void {
  const accepted = [keyId].flat();
  if (anyKey || accepted.some((id) => parseUuid(id) === found)) return;
  throw new FileFailure(
    `the file is under the key ${found}, but only ${accepted.join(' or ')} is accepted: if this is the right file, ${elsewhere(found)}`,
  );
}

/**
 * Says where a decryption failed. If the beginning is authentic, the key and the context are right, and the file is
 * damaged.
 */
async function* explained(plaintext: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  try {
    for await (const piece of plaintext) {
      length += piece.length;
      yield piece;
    }
  } catch (error) {
    if (length === 0 || !(error instanceof DecryptionError)) throw error;
    throw new FileFailure(
      `decryption failed after ${length} authentic bytes: the file was cut short or altered there`,
    );
  }
}

function withoutSuffix(name: string): string {
  if (isEncryptedName(name) && !/(?:^|[\\/])\.eaas$/.test(name)) return name.slice(0, -suffix.length);
  throw new WrongUsage(
    `${inLine(name)} does not end in ${suffix}, so the output file has no name: pass its path with --out.`,
  );
}
