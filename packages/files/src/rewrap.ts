import { open } from 'node:fs/promises';
import type { EaasClient } from '@eaas/sdk';
import { type Ciphertext, openCiphertext } from './ciphertext.ts';
import { encodeBase64 } from './base64.ts';
import type { Command, Run } from './command.ts';
import { fileOptions, progressOptions, serviceOptions, withClient } from './connection.ts';
import { forEachFile } from './each.ts';
import { WrongUsage } from './failure.ts';
import { findInputs, type Input, isEncryptedName, standard } from './inputs.ts';
import { printResults } from './output.ts';
import { withPieces } from './read.ts';
import { writePieces } from './write.ts';

export const rewrap: Command = {
  name: 'rewrap',
  operand: ' [path...]',
  about:
    'Move files to the newest version of their key, after a rotation. The service wraps the data key again. Writes only ' +
    'the first bytes of each file, in place, and decrypts nothing. Does not notice a damaged file. With standard input, ' +
    'writes the result to standard output.',
  options: {
    ...fileOptions,
    json: { about: 'print one line of JSON for each file' },
    ...serviceOptions,
    ...progressOptions,
  },
  examples: ['eaas-files rewrap report.pdf.eaas', 'eaas-files rewrap --recursive archive'],
  run: rewrapFiles,
};

interface Result {
  readonly path: string;
  readonly key_id: string;
  readonly key_version: number;
  readonly rewrapped: boolean;
}

async function rewrapFiles(run: Run): Promise<number> {
  const { parsed, progress, stop } = run;
  const isRecursive = parsed.isSet('recursive');
  const { inputs, unreadable } = await findInputs(parsed.paths, { isRecursive, isWanted: isEncryptedName });
  const isPipe = inputs.some(({ path }) => path === standard);
  if (isPipe && process.stdout.isTTY)
    throw new WrongUsage('A terminal cannot show binary ciphertext: redirect standard output.');
  progress.expect(undefined, inputs.length);
  const results: Result[] = [];
  const failures = await withClient(parsed, (client) =>
    forEachFile(
      run,
      inputs,
      (input) => input,
      async (input) => {
        results.push(
          await withPieces(run, input, (pieces) => rewrapFile(input, pieces, client, stop.signal)),
        );
      },
      32,
    ),
  );
  const rows = results.sort((a, b) => (a.path < b.path ? -1 : 1));
  if (!isPipe) printResults(rows, ['path', 'key_id', 'key_version', 'rewrapped'], parsed.isSet('json'));
  return unreadable + failures;
}

async function rewrapFile(
  { path, mode }: Input,
  pieces: AsyncGenerator<Uint8Array>,
  client: EaasClient,
  signal: AbortSignal,
): Promise<Result> {
  const ciphertext = await openCiphertext(pieces);
  const { length } = ciphertext.header;
  const header = ciphertext.beginning.subarray(0, length);
  const { ciphertext: renewed, key_id, key_version, rewrapped } = await client.rewrap(header, { signal });
  const isInPlace = path !== standard && !ciphertext.isText && renewed.length === length;
  if (isInPlace && rewrapped) await overwrite(path, renewed);
  if (!isInPlace && (rewrapped || path === standard)) {
    await writePieces(path, replaced(ciphertext, renewed, length), { force: true, mode });
  }
  return { path, key_id, key_version, rewrapped };
}

/** Overwrites the header of a file. The header fits into one disk sector, so a crash cannot mix old and new bytes. */
async function overwrite(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write(bytes, 0, bytes.length, 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function* replaced(
  { bytes, isText }: Ciphertext,
  header: Uint8Array,
  replaces: number,
): AsyncGenerator<Uint8Array> {
  const pieces = withHeader(bytes, header, replaces);
  yield* isText ? encodeBase64(pieces) : pieces;
}

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
