import { printRows } from './kit.ts';
import { openCiphertext, sizeWithin } from './ciphertext.ts';
import { type FileCommand, option, type Run } from './command.ts';
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

const json = option('--json', 'print each result as one line of JSON, and nothing else');

export const inspect: FileCommand = {
  name: 'inspect',
  about:
    'Show what a ciphertext contains, without decrypting it. Prints the kind, the key, its version and the size of the ' +
    'plaintext in bytes. Needs no service and no key. The values are not authenticated: only `decrypt` finds out whether ' +
    'a file was altered.',
  options: [recursive, json],
  examples: ['eaas-files inspect report.pdf.eaas', 'eaas-files inspect --recursive photos-encrypted --json'],
  takesPaths: true,
  async run(run) {
    const found: Found[] = [];
    const failures = await examine(run, (each) => found.push(each));
    const columns = ['path', 'kind', 'key_id', 'key_version', 'size'] as const;
    printRows(found, columns, run.options.json === true);
    return failures;
  },
};

export const keys: FileCommand = {
  name: 'keys',
  about:
    'Show which versions of which keys a set of files needs. Prints each version with the number of files and the size of ' +
    'their plaintexts in bytes. Needs no service and no key.',
  options: [recursive, json],
  examples: ['eaas-files keys *.eaas', 'eaas-files keys --recursive archive --json'],
  takesPaths: true,
  async run(run) {
    const versions = new Map<string, { key_id: string; key_version: number; files: number; size: number }>();
    const failures = await examine(run, ({ key_id, key_version, size }) => {
      const name = `${key_id} ${String(key_version).padStart(10)}`;
      const known = versions.get(name) ?? { key_id, key_version, files: 0, size: 0 };
      versions.set(name, { ...known, files: known.files + 1, size: known.size + size });
    });
    const rows = [...versions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    printRows(rows, ['key_id', 'key_version', 'files', 'size'], run.options.json === true);
    return failures;
  },
};

async function examine(run: Run, found: (each: Found) => void): Promise<number> {
  const { inputs, unreadable } = await findInputs(run, isEncryptedName);
  // Reads one file at a time, so that the results have the order of the command line.
  const jobs = inputs.map((input) => ({ input }));
  const look = async (source: Source, { input }: { readonly input: Input }): Promise<void> =>
    found(await describe(input, source));
  const failures = await forEachFile(run, jobs, look, { atOnce: 1 });
  return unreadable + failures;
}

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
