import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';

const ptrace = '/proc/sys/kernel/yama/ptrace_scope';
const pieceLength = 16 * 1024 * 1024;
const longestText = 4_096;

export const canReadMemory =
  process.platform === 'linux' && (!existsSync(ptrace) || Number(readFileSync(ptrace, 'utf8')) <= 1);

export async function findInMemory(
  pid: number,
  texts: Readonly<Record<string, Buffer>>,
): Promise<Set<string>> {
  const found = new Set<string>();
  const memory = await open(`/proc/${pid}/mem`, 'r');
  try {
    const piece = Buffer.alloc(pieceLength + longestText);
    for (const [start, end] of writableRegions(pid)) {
      for (let at = start; at < end; at += pieceLength) {
        const length = Math.min(piece.length, end - at);
        // Skips memory that cannot be read, because the process can free a memory region at any time.
        const { bytesRead } = await memory.read(piece, 0, length, at).catch(() => ({ bytesRead: 0 }));
        const content = piece.subarray(0, bytesRead);
        for (const [name, text] of Object.entries(texts)) if (content.includes(text)) found.add(name);
      }
    }
  } finally {
    await memory.close();
  }
  return found;
}

function writableRegions(pid: number): [start: number, end: number][] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(/^([\da-f]+)-([\da-f]+) rw/gm);
  return Array.from(lines, ([, start = '', end = '']) => [
    Number.parseInt(start, 16),
    Number.parseInt(end, 16),
  ]);
}
