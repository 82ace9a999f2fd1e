import { type FileHandle, open } from 'node:fs/promises';
import type { ShownEntry } from '../operations/export-audit.ts';
import { WrongUsage } from './failure.ts';

/** A file with the lines of an export, perhaps of one that was interrupted. */
export interface ExportFile {
  /** The entry of the last whole line. */
  readonly last: Pick<ShownEntry, 'tenant_id' | 'id' | 'hash'> | undefined;
  /** Drops what stands behind the last whole line. */
  readonly keepWholeLines: () => Promise<void>;
  readonly append: (lines: string) => Promise<void>;
  /** Returns when all of it is on disk. */
  readonly close: () => Promise<void>;
}

// More than any entry's line can have.
const tailSize = 1024 * 1024;
const newline = 0x0a;

/** Opens or makes the file, for its owner only. Throws WrongUsage for a file that is no export, and leaves it alone. */
export async function openExportFile(path: string): Promise<ExportFile> {
  const file = await open(path, 'a+', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new WrongUsage(`The file ${path} cannot be written (${error.code}).`);
  });
  try {
    const { size } = await file.stat();
    const tail = await readTail(file, size);
    const end = tail.lastIndexOf(newline) + 1;
    const last = end > 0 ? lastEntry(path, tail.subarray(0, end - 1)) : undefined;
    // The beginning of a first line.
    if (end === 0 && !'{"id":'.startsWith(tail.toString('latin1', 0, 6))) throw noExport(path);
    return {
      last,
      keepWholeLines: () => file.truncate(size - tail.length + end),
      append: (lines) => file.appendFile(lines),
      close: async () => {
        await file.sync();
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readTail(file: FileHandle, size: number): Promise<Buffer> {
  const length = Math.min(size, tailSize);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.subarray(0, bytesRead);
}

function lastEntry(path: string, lines: Buffer): ExportFile['last'] {
  try {
    const line = lines.toString('utf8', lines.lastIndexOf(newline) + 1);
    const { tenant_id, id, hash } = JSON.parse(line) as Record<string, unknown>;
    if (typeof tenant_id === 'string' && Number.isSafeInteger(id) && typeof hash === 'string') {
      return { tenant_id, id: Number(id), hash };
    }
  } catch {
    // Told below.
  }
  throw noExport(path);
}

function noExport(path: string): WrongUsage {
  return new WrongUsage(`The file ${path} is there, and is not an export: name another.`);
}
