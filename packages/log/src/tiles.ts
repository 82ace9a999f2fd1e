// The tiles of the log in the database. A row grows until it is full, so a partial tile is a prefix of its row.
import {
  appendedHashes,
  bundledEntry,
  bundleEntries,
  entryLeaf,
  type ReadTile,
  type TileName,
  tilePath,
  tileWidth,
} from '@eaas/protocol/internal-log';
import { Explained, sameBytes, type Sql, type Transaction } from '@eaas/server/internal';

/** Thrown if something other than the service changed the tiles. The log must then sign nothing any more. */
export class TilesChanged extends Explained {
  override readonly name = 'TilesChanged';
}

/** Reads the tiles of a log. Throws TilesChanged if one is shorter than it must be. */
export function tilesOf(sql: Sql, origin: string): ReadTile {
  return async (level, n, width) => {
    const bytes = await rowOf(sql, origin, { level, n });
    if (bytes && bytes.length >= width * 32) return bytes;
    throw new TilesChanged(`${tilePath({ level, n, width })} is missing or too short`);
  };
}

async function rowOf(sql: Sql, origin: string, { level, n }: Omit<TileName, 'width'>) {
  const [row] = await sql<{ bytes: Buffer }[]>`
    select bytes from eaas.log_tiles where origin = ${origin} and level = ${level} and n = ${n}`;
  return row?.bytes;
}

/** What the public log shows of a tile or a bundle of entries, or undefined if it is not yet that wide. */
export async function publicTile(sql: Sql, name: TileName): Promise<Buffer | undefined> {
  const [row] = await sql<{ bytes: Buffer }[]>`
    select bytes from eaas.log_tiles join eaas.log_keys using (origin)
    where ended_at is null and level = ${name.level} and n = ${name.n}`;
  if (!row) return undefined;
  const length = name.level < 0 ? lengthOfEntries(row.bytes, name.width) : name.width * 32;
  return length !== undefined && length <= row.bytes.length ? row.bytes.subarray(0, length) : undefined;
}

function lengthOfEntries(bundle: Buffer, count: number): number | undefined {
  const entries = bundleEntries(bundle)?.slice(0, count);
  if (entries?.length !== count) return undefined;
  return entries.reduce((length, entry) => length + 2 + entry.length, 0);
}

/** Appends an entry to a log of `size` entries. Throws TilesChanged if the last bundle or a tile is not what it must be. */
export async function appendEntry(
  tx: Transaction,
  origin: string,
  size: number,
  entry: Uint8Array,
): Promise<void> {
  const n = Math.floor(size / tileWidth);
  const width = size % tileWidth;
  const read = tilesOf(tx, origin);
  const [bundle = Buffer.alloc(0), leaves] = await Promise.all([
    rowOf(tx, origin, { level: -1, n }),
    width === 0 ? Buffer.alloc(0) : read(0, n, width),
  ]);
  const entries = bundleEntries(bundle) ?? [];
  const isWhole =
    entries.length === width &&
    entries.every((each, at) => sameBytes(entryLeaf(each), leaves.subarray(32 * at, 32 * at + 32)));
  if (!isWhole) {
    throw new TilesChanged(
      `${tilePath({ level: -1, n, width: width || tileWidth })} has other entries than its tile`,
    );
  }
  for (const tile of await appendedHashes(read, size, entryLeaf(entry))) {
    await extend(tx, origin, tile, 32 * (tile.width - 1), tile.hash);
  }
  await extend(tx, origin, { level: -1, n, width: width + 1 }, bundle.length, bundledEntry(entry));
}

/** Adds bytes to the end of a row, which must have the given length. */
async function extend(tx: Transaction, origin: string, name: TileName, length: number, bytes: Uint8Array) {
  const { level, n } = name;
  const { count } = await (length === 0
    ? tx`insert into eaas.log_tiles (origin, level, n, bytes) values (${origin}, ${level}, ${n}, ${bytes}) on conflict do nothing`
    : tx`update eaas.log_tiles set bytes = bytes || ${bytes}
        where origin = ${origin} and level = ${level} and n = ${n} and length(bytes) = ${length}`);
  if (count === 0) throw new TilesChanged(`${tilePath(name)} is longer than it must be`);
}
