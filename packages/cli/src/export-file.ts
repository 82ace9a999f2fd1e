// The file of `eaas audit export --out`, which a later export continues after its last whole line.
import { type FileHandle, open } from 'node:fs/promises';
import { cannotBe, objectIn } from './given-file.ts';
import { WrongUsage } from './kit/index.ts';
import type { Position } from './next-entries.ts';
import { conflict } from './refusal.ts';

// Every line of an export file is shorter than 1 MiB.
const tailSize = 1024 * 1024;
const newline = 0x0a;

export async function openExportFile(path: string) {
  const fail = cannotBe('written', `file ${path}`, 'check the path, the permissions and the free space');
  const file = await open(path, 'a+', 0o600).catch(fail);
  let { size } = await file.stat();
  const tail = await readTail(file, size);
  const end = tail.lastIndexOf(newline) + 1;
  const last = end > 0 ? lastEntry(tail.subarray(0, end - 1)) : undefined;
  const isInterrupted = end === 0 && '{"id":'.startsWith(tail.toString('latin1', 0, 6));
  if (!last && !isInterrupted) {
    await file.close();
    throw new WrongUsage(`The file ${path} exists and is not an export of an audit log: pass another path.`);
  }
  let whole = size - tail.length + end;
  return {
    last,
    /** Writes lines after the last whole one. */
    append: async (lines: string): Promise<void> => {
      if ((await file.stat()).size !== size) {
        throw conflict(
          `Another program writes to the file ${path}, so this command has stopped. Run only one export per file.`,
        );
      }
      if (whole < size) await file.truncate(whole);
      const bytes = Buffer.from(lines);
      await writeAll(file, bytes).catch(fail);
      whole += bytes.length;
      size = whole;
    },
    close: async (): Promise<void> => {
      await file.sync().catch(fail);
      await file.close();
    },
  };
}

/**
 * Writes all bytes in one call, so that a concurrent export never reads a part of a line. More calls are necessary only
 * if the disk is full.
 */
async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length;) done += (await file.write(bytes, done)).bytesWritten;
}

async function readTail(file: FileHandle, size: number): Promise<Buffer> {
  const length = Math.min(size, tailSize);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.subarray(0, bytesRead);
}

function lastEntry(lines: Buffer): Position | undefined {
  const { tenant_id, id, hash } = objectIn(lines.toString('utf8', lines.lastIndexOf(newline) + 1)) ?? {};
  const isEntry = typeof tenant_id === 'string' && Number.isSafeInteger(id) && typeof hash === 'string';
  return isEntry ? { id: Number(id), hash } : undefined;
}
