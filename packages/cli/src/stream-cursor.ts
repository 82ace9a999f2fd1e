import { type FileHandle, open, readFile } from 'node:fs/promises';
import { WrongUsage } from '@eaas/cli-kit';
import { parseUuid } from '@eaas/protocol';
import { ifExists, replaceFile } from '@eaas/server/internal';
import type { Position } from './new-entries.ts';

const saveEvery = 1_000;
const mostAppended = 10_000;

interface Pending {
  readonly tenantId: string;
  readonly position: Position;
  readonly endsAt: number;
}

export interface CursorOptions {
  /** A restarted stream sends at least this many bytes again, because the reader of the stream might have lost them. */
  readonly resend: number;
  readonly flush: () => Promise<void>;
}

export type Cursor = Awaited<ReturnType<typeof openCursor>>;

/**
 * Each line of the cursor file has a tenant's position in its audit log. The last complete line of a tenant is valid.
 * If this line is lost, the stream sends some entries again.
 */
export async function openCursor(path: string, { resend, flush }: CursorOptions) {
  const saved = await readPositions(path);
  const sent = new Map(saved);
  const rewrite = async (): Promise<FileHandle> => {
    await replaceFile(path, linesOf(saved));
    return open(path, 'a', 0o600);
  };
  const unwritable = (error: NodeJS.ErrnoException): never => {
    throw new WrongUsage(
      `The cursor file ${path} cannot be written (${error.code}): check the path, the permissions and the free space.`,
    );
  };
  let file = await rewrite().catch(unwritable);
  let pending: Pending[] = [];
  let [written, appended] = [0, 0];
  let savedAt = performance.now();
  const save = async (): Promise<void> => {
    savedAt = performance.now();
    const left = pending.findIndex(({ endsAt }) => endsAt + resend > written);
    const safe = left === -1 ? pending : pending.slice(0, left);
    if (safe.length === 0) return;
    await flush();
    const positions = new Map(safe.map(({ tenantId, position }) => [tenantId, position]));
    for (const [tenantId, position] of positions) saved.set(tenantId, position);
    await file.appendFile(linesOf(positions)).catch(unwritable);
    await file.datasync().catch(unwritable);
    pending = pending.slice(safe.length);
    appended += positions.size;
    if (appended < mostAppended + 4 * saved.size) return;
    await file.close();
    file = await rewrite().catch(unwritable);
    appended = 0;
  };
  return {
    sent: sent as ReadonlyMap<string, Position>,
    async advance(tenantId: string, position: Position, bytes: number): Promise<void> {
      sent.set(tenantId, position);
      written += bytes;
      pending.push({ tenantId, position, endsAt: written });
      if (performance.now() - savedAt > saveEvery) await save();
    },
    save,
    async close(): Promise<void> {
      await save();
      await file.close();
    },
  };
}

async function readPositions(path: string): Promise<Map<string, Position>> {
  const text = await ifExists(readFile(path, 'utf8')).catch((error: NodeJS.ErrnoException) => {
    throw new WrongUsage(
      `The cursor file ${path} cannot be read (${error.code}): check its path and its permissions.`,
    );
  });
  const lines = (text ?? '').split('\n').slice(0, -1);
  const positions = lines.map(positionIn).filter((found) => found !== undefined);
  if (lines.length > 0 && positions.length === 0) {
    throw new WrongUsage(`The file ${path} is not a cursor of \`eaas audit stream\`: pass another path.`);
  }
  return new Map(positions);
}

function positionIn(line: string): [string, Position] | undefined {
  const [, tenantId = '', id, hash = ''] = /^(\S{36}) (\d{1,15}) ([\da-f]{64})$/.exec(line) ?? [];
  return parseUuid(tenantId) === tenantId ? [tenantId, { id: Number(id), hash }] : undefined;
}

function linesOf(positions: ReadonlyMap<string, Position>): string {
  return Array.from(positions, ([tenantId, { id, hash }]) => `${tenantId} ${id} ${hash}\n`).join('');
}
