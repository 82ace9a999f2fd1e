import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account.ts';

const MAX_BYTES = 10 * 1024 * 1024;
const LAST_BYTES = 4096;

/** Opens PostgreSQL's log, emptied when it has grown too long. `lastLines` gives what was written since. */
export async function openLog(
  dataDirectory: string,
  { owner }: Account,
): Promise<FileHandle & { lastLines: () => Promise<string> }> {
  const file = await open(join(dataDirectory, 'postgres.log'), 'a+', 0o600);
  await file.chown(owner.uid, owner.gid);
  if ((await file.stat()).size > MAX_BYTES) await file.truncate();
  const start = (await file.stat()).size;
  const lastLines = async (): Promise<string> => {
    const end = (await file.stat()).size;
    const from = Math.max(start, end - LAST_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - from), 0, end - from, from);
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-12).join('\n');
  };
  return Object.assign(file, { lastLines });
}
