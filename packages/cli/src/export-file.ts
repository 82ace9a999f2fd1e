import { type FileHandle, open } from 'node:fs/promises';
import { toHex } from '@eaas/protocol/internal';
import { readLog, Refusal, type Service } from '@eaas/server/internal';
import { WrongUsage } from './kit/index.ts';

// Every line of an export file is shorter than 1 MiB.
const tailSize = 1024 * 1024;
const newline = 0x0a;

export async function openExportFile(path: string) {
  const unwritable = (error: NodeJS.ErrnoException): never => {
    throw new WrongUsage(
      `The file ${path} cannot be written (${error.code}): check the path, the permissions and the free space.`,
    );
  };
  const file = await open(path, 'a+', 0o600).catch(unwritable);
  try {
    const { size } = await file.stat();
    const tail = await readTail(file, size);
    const end = tail.lastIndexOf(newline) + 1;
    const last = end > 0 ? lastEntry(tail.subarray(0, end - 1)) : undefined;
    const isInterrupted = end === 0 && '{"id":'.startsWith(tail.toString('latin1', 0, 6));
    if (!last && !isInterrupted) {
      throw new WrongUsage(
        `The file ${path} exists and is not an export of an audit log: pass another path.`,
      );
    }
    let written = size;
    return {
      last,
      keepWholeLines: async (): Promise<void> => {
        written = size - tail.length + end;
        await file.truncate(written);
      },
      append: async (lines: string): Promise<void> => {
        if ((await file.stat()).size !== written) {
          throw new Refusal(
            'conflict',
            `Another program writes to the file ${path}, so this command has stopped. Run only one export per file.`,
          );
        }
        const bytes = Buffer.from(lines);
        await writeAll(file, bytes).catch(unwritable);
        written += bytes.length;
      },
      close: async (): Promise<void> => {
        await file.sync().catch(unwritable);
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
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

function lastEntry(lines: Buffer) {
  try {
    const line = lines.toString('utf8', lines.lastIndexOf(newline) + 1);
    const { tenant_id, id, hash } = JSON.parse(line) as Record<string, unknown>;
    if (typeof tenant_id !== 'string' || !Number.isSafeInteger(id) || typeof hash !== 'string')
      return undefined;
    return { tenant_id, id: Number(id), hash };
  } catch {
    return undefined;
  }
}

/** Throws Refusal unless the log continues after the last entry of a file. */
export async function requireContinuable(
  service: Service,
  tenantId: string,
  last: NonNullable<ReturnType<typeof lastEntry>>,
): Promise<void> {
  const { anchor, known } = (await readLog(service, tenantId, last.id, 1)) ?? {};
  const stored = anchor?.id === last.id ? anchor : known;
  if (stored && last.tenant_id === tenantId && toHex(stored.hash) === last.hash) return;
  const purged = anchor && anchor.id > last.id && last.tenant_id === tenantId;
  throw new Refusal(
    'conflict',
    purged
      ? `The file ends with entry ${last.id}, and entries up to ${anchor.id} were purged since then: export to a new file.`
      : `The file ends with entry ${last.id}, which is not in the log of this tenant (was a backup restored?): export to a new file.`,
  );
}
