import { type Context, open } from '@eaas/protocol';
import { inLine } from '@eaas/protocol/internal';
import { nodeEngine } from '@eaas/protocol/node';
import { decryptStream } from '@eaas/sdk/stream';
import { one, openCiphertext } from './ciphertext.ts';
import type { Command, Run } from './command.ts';
import {
  contextIn,
  contextOptions,
  fileOptions,
  type Opener,
  openOptions,
  progressOptions,
  serviceOptions,
  withOpener,
} from './connection.ts';
import { expectAll, forEachFile } from './each.ts';
import { FileFailure, WrongUsage } from './failure.ts';
import { findInputs, isEncryptedName, standard, suffix } from './inputs.ts';
import { planOutputs } from './output-paths.ts';
import { collect, streamOf, withPieces } from './read.ts';
import { writePieces } from './write.ts';

export const decrypt: Command = {
  name: 'decrypt',
  operand: ' [path...]',
  about:
    'Decrypt files, folders or standard input. Writes report.pdf beside report.pdf.eaas. The file has its name only ' +
    'after all of it was authenticated. Reads standard input if no path is named, and then writes to standard output. ' +
    'In folders, reads only files that end in .eaas. Also decrypts single values, as bytes or in base64.',
  options: {
    out: { short: 'o', value: 'path', about: 'write to this file or folder, or to standard output (-)' },
    ...fileOptions,
    force: { short: 'f', about: 'overwrite existing files' },
    ...openOptions,
    ...contextOptions,
    ...serviceOptions,
    ...progressOptions,
  },
  examples: [
    'eaas-files decrypt report.pdf.eaas',
    'eaas-files decrypt --recursive photos-encrypted --out photos',
    'eaas-files decrypt < project.tar.eaas | tar x',
    'eaas-files decrypt report.pdf.eaas --exported-key key.json --private-key private.pem',
  ],
  run: decryptFiles,
};

async function decryptFiles(run: Run): Promise<number> {
  const { parsed } = run;
  const context = contextIn(parsed);
  const force = parsed.isSet('force');
  const isRecursive = parsed.isSet('recursive');
  const { inputs, unreadable } = await findInputs(parsed.paths, { isRecursive, isWanted: isEncryptedName });
  const jobs = await planOutputs(inputs, { out: parsed.one('out'), force, rename: withoutSuffix });
  if (process.stdout.isTTY && jobs.some(({ output }) => output === standard)) run.progress.hide();
  expectAll(run, inputs);
  const failures = await withOpener(parsed, (opener) =>
    forEachFile(
      run,
      jobs,
      ({ input }) => input,
      ({ input, output }) =>
        withPieces(run, input, async (pieces) => {
          const plaintext = await decrypted(pieces, opener, context, run.stop.signal);
          await writePieces(output, plaintext, { force, mode: input.mode });
        }),
    ),
  );
  return unreadable + failures;
}

// A single value can only be decrypted as a whole, in memory.
const maxValueLength = 268_435_456;

async function decrypted(
  pieces: AsyncGenerator<Uint8Array>,
  { client, expected }: Opener,
  context: Context | undefined,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { kind, bytes } = await openCiphertext(pieces);
  if (kind === 'stream') {
    return streamOf(bytes).pipeThrough(decryptStream(client, { ...expected, context, signal }));
  }
  const { anyKey, keyId = [] } = expected;
  const unwrap: Parameters<typeof open>[1] = (wrapped) => client.unwrap(wrapped, { signal });
  const options = { context, engine: nodeEngine, ...(anyKey ? { anyKey } : { keyId }) };
  const envelope = await collect(bytes, maxValueLength);
  if (envelope) return one(await open(envelope, unwrap, options));
  throw new FileFailure('a single value must have at most 256 MiB (got more): encrypt large data as a file');
}

function withoutSuffix(name: string): string {
  if (isEncryptedName(name) && !/(?:^|[\\/])\.eaas$/.test(name)) return name.slice(0, -suffix.length);
  throw new WrongUsage(
    `${inLine(name)} does not end in ${suffix}, so the output file has no name: pass its path with --out.`,
  );
}
