// Files that somebody gave us, which commands read whole, and a line of standard input.
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { inLine } from '@eaas/protocol/internal';
import { WrongUsage } from './kit/index.ts';

/** Reads a file as UTF-8 without an exception. Throws WrongUsage that names it by `what`. */
export function readGiven(path: string, what: string): string {
  const bytes = bytesIn(path, what);
  if (isUtf8(bytes)) return bytes.toString();
  throw new WrongUsage(`The ${what} file ${inLine(path)} is not UTF-8: pass the file as you received it.`);
}

function bytesIn(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    return cannotBe('read', `${what} file ${inLine(path)}`)(error as NodeJS.ErrnoException);
  }
}

/** Says of what failed that a file cannot be read or written, and what to do. */
export const cannotBe =
  (
    used: 'read' | 'written' | 'used' | 'created',
    file: string,
    remedy = 'check its path and its permissions',
  ) =>
  ({ code }: NodeJS.ErrnoException): never => {
    throw new WrongUsage(`The ${file} cannot be ${used} (${code}): ${remedy}.`);
  };

/** Returns the object that a text is in JSON, or undefined for any other text. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a checkpoint as the command, the console or the API wrote it. */
export function readCheckpointFile(path: string): string {
  const text = readGiven(path, 'checkpoint');
  if (!text.startsWith('{')) return text;
  const checkpoint = objectIn(text)?.['checkpoint'];
  if (typeof checkpoint === 'string') return checkpoint;
  throw new WrongUsage(`The file ${path} must hold a checkpoint, or JSON with the field "checkpoint".`);
}

/** Reads standard input, without the end of its last line. */
export async function readLine(what: string): Promise<string> {
  const bytes = await buffer(process.stdin);
  if (!isUtf8(bytes)) throw new WrongUsage(`The ${what} on standard input must be UTF-8 (got other bytes).`);
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}
