import { fdatasync, fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { exitCodes } from './failure.ts';
import { note } from './output.ts';

const standardOutput = 1;
/**
 * The estimated maximum of bytes that the stream has written and its reader has not yet saved. A pipe on Linux holds up
 * to 208 KiB, and its reader can hold more in memory.
 */
const heldByReader = 1024 * 1024;

export type Output = Awaited<ReturnType<typeof openOutput>>;

export async function openOutput() {
  process.exitCode = exitCodes.cannotStart;
  process.stdout.prependListener('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') return;
    note('The reader of the standard output has ended. Entries that it might have lost are sent again.');
  });
  const isFile = fstatSync(standardOutput).isFile();
  if (isFile && !(await endsWithLine())) await write('\n');
  return {
    unread: isFile ? 0 : heldByReader,
    flush: isFile ? () => promisify(fdatasync)(standardOutput) : async () => {},
    write,
  };
}

/** Waits until the reader has taken the lines, so that a slow reader slows the stream. */
export function write(lines: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(lines, (error) => (error ? reject(error) : resolve()));
  });
}

/** A killed stream can leave an incomplete line. */
async function endsWithLine(): Promise<boolean> {
  const file = await open(`/dev/fd/${standardOutput}`, 'r').catch(() => undefined);
  if (!file) return true;
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    return size === 0 || buffer.toString() === '\n';
  } finally {
    await file.close();
  }
}
