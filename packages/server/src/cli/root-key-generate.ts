import { randomBytes } from 'node:crypto';
import { readRootKeyFile, createRootKeyFile } from '../embedded/root-key-file.ts';
import { rootKey } from '../crypto/key-hierarchy.ts';
import { Refusal } from '../refusal.ts';
import { reporting } from './command.ts';
import { note, printResult } from './output.ts';

/** `eaas root-key generate`. */
export const rootKeyGenerate = reporting(
  'generate',
  'Make a new root key. 32 random bytes in base64, printed or written to a new file that only you can read.',
  ['root-key generate', 'root-key generate --file /etc/eaas/root.key'],
)
  .option('--file <path>', 'write it there instead; an existing file is left as it is')
  .action(async ({ file, json }: { file?: string; json?: true }) => {
    if (file === undefined) print(json);
    else printResult({ file, root_id: await write(file) }, { ...(json && { json }) });
    note('Keep a copy apart from the database and its backups: without it nothing can ever be decrypted.');
  });

function print(json: true | undefined): void {
  const bytes = randomBytes(32);
  const text = bytes.toString('base64');
  if (json) printResult({ root_key: text, root_id: idOf(bytes) }, { json });
  else process.stdout.write(`${text}\n`);
}

async function write(file: string): Promise<string> {
  if (!(await createRootKeyFile(file))) {
    throw new Refusal('conflict', `There is a file ${file} already; it is left as it is.`);
  }
  return idOf((await readRootKeyFile(file)) ?? new Uint8Array());
}

function idOf(bytes: Uint8Array): string {
  const { rootId } = rootKey(bytes);
  bytes.fill(0);
  return Buffer.from(rootId).toString('hex');
}
