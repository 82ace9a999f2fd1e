// Where `open` writes plaintext: a new file that only its user can read, and that has its name once it is whole, or a pipe.
import { existsSync } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { InputError } from '@eaas/protocol';
import { inLine } from '@eaas/protocol/internal';

/** Writes pieces, and keeps the file if `isWhole` says so. Asks for no piece before it knows that the path is free. */
export async function writeTo(path: string, pieces: AsyncIterable<string>, isWhole: () => boolean) {
  if (path === '-' && process.stdout.isTTY) {
    throw new InputError('a terminal would show the plaintext: pass `--out` a file, or pipe the output');
  }
  if (path === '-') return pipeline(pieces, process.stdout, { end: false });
  const part = `${path}.part`;
  const taken = [path, part].find((each) => existsSync(each));
  if (taken) throw new InputError(`${inLine(taken)} exists: delete it, or pass \`--out\` another path`);
  const file = await open(part, 'wx', 0o600);
  try {
    await pipeline(pieces, file.createWriteStream({ flush: true }));
    // Unlike `rename`, it replaces nothing.
    if (isWhole()) await link(part, path);
  } finally {
    await rm(part, { force: true });
  }
}
