// The temporary files of commands. A command that is killed leaves its file behind, and the next command in the folder
// names it. Nothing is removed, because another command could still be writing the file.

import { randomBytes } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { note } from './kit.ts';
import { inLine } from '@eaas/protocol/internal';

/** Contains the id of the process, so that other commands can see whether it still runs. */
export const temporaryName = (): string => `.eaas-${process.pid}-${randomBytes(8).toString('hex')}.part`;

export const isTemporary = (name: string): boolean => name.startsWith('.eaas-') && name.endsWith('.part');

const named = new Set<string>();

/** Names the temporary files in the folders, each only once. Call this before the command writes its own. */
export async function noteLeftovers(folders: Iterable<string>): Promise<void> {
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter(isTemporary).sort()) await noteLeftover(join(folder, name), name);
  }
}

async function noteLeftover(path: string, name: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile() || isBeingWritten(name, stats.mtimeMs) || named.has(resolve(path))) return;
  named.add(resolve(path));
  const written = stats.mtime.toISOString().slice(0, 19);
  note(
    `${inLine(path)} was left by a command that was killed (last written ${written}Z). It can contain ` +
      `plaintext: remove it, unless another eaas-files is still writing it.`,
  );
}

/** The process id alone is not enough, because after a while another program has it. */
function isBeingWritten(name: string, writtenAt: number): boolean {
  const pid = Number(/^\.eaas-(\d{1,10})-/.exec(name)?.[1] ?? process.pid);
  return pid !== process.pid && Date.now() - writtenAt < 60_000 && isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
