// `eaas-files inspect`: what everybody can read in a ciphertext without a key, none of it authenticated.
import { printRows } from './kit.ts';
import { openCiphertext, sizeWithin } from './ciphertext.ts';
import { type FileCommand, option } from './command.ts';
import { recursive } from './connection.ts';
import { forEachFile, nameOf } from './each.ts';
import { findInputs, type Input, isEncryptedName } from './inputs.ts';
import type { Source } from './read.ts';

interface Found {
  readonly path: string;
  readonly kind: 'stream' | 'value';
  readonly key_id: string;
  readonly key_version: number;
  readonly size: number;
}

export const inspect: FileCommand = {
  name: 'inspect',
  about:
    'Show what a ciphertext contains, without decrypting it. Prints the kind, the key, its version and the size of the ' +
    'plaintext in bytes. Needs no service and no key. The values are not authenticated: only `decrypt` finds out whether ' +
    'a file was altered.',
  options: [recursive, option('--json', 'print each result as one line of JSON, and nothing else')],
  examples: ['eaas-files inspect report.pdf.eaas', 'eaas-files inspect --recursive photos-encrypted --json'],
  takesPaths: true,
  async run(run) {
    const { inputs, unreadable } = await findInputs(run, isEncryptedName);
    const found: Found[] = [];
    const jobs = inputs.map((input) => ({ input }));
    const look = async (source: Source, { input }: (typeof jobs)[number]): Promise<void> =>
      void found.push(await describe(input, source));
    // Reads one file at a time, so that the results have the order of the command line.
    const failures = await forEachFile(run, jobs, look, { atOnce: 1 });
    printRows(found, ['path', 'kind', 'key_id', 'key_version', 'size'], run.options.json === true);
    return unreadable + failures;
  },
};

async function describe(input: Input, { pieces, file }: Source): Promise<Found> {
  const ciphertext = await openCiphertext(pieces);
  const { kind, header } = ciphertext;
  const length = ciphertext.isText ? undefined : file?.size;
  const size = sizeWithin(ciphertext, length ?? (await lengthOf(ciphertext.bytes)));
  return { path: nameOf(input), kind, key_id: header.keyId, key_version: header.keyVersion, size };
}

async function lengthOf(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const piece of bytes) length += piece.length;
  return length;
}
