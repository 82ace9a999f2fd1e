// The log: an append-only Merkle tree (RFC 6962), kept as tiles of 256 hashes (https://c2sp.org/tlog-tiles). A hash never changes
// once it is in a tile, so proofs of every earlier size come from the tiles of today.
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { equalBytes } from '../bytes.ts';

/**
 * Reads the first `width` hashes of a tile, 32 bytes each. It may return more than that. Level -1 has the bundles of
 * entries, which no proof needs.
 */
export type ReadTile = (level: number, n: number, width: number) => Promise<Uint8Array>;

/** A tile, or at level -1 a bundle of entries. `width` is 256 if it is full. */
export interface TileName {
  readonly level: number;
  readonly n: number;
  readonly width: number;
}

/** A hash that is added to a tile, whose width is then `width`. */
export interface AddedHash extends TileName {
  readonly hash: Uint8Array;
}

/** The hashes in a full tile. */
export const tileWidth = 256;
const longestEntry = 65_535;
const highestLevel = 63;

/** Returns the hash of an entry. */
export function entryLeaf(entry: Uint8Array): Uint8Array {
  return sha256(concatBytes(Uint8Array.of(0), entry));
}

/** Returns the hash of two hashes beside each other in a tree. */
export const nodeOf = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(concatBytes(Uint8Array.of(1), left, right));

// Names

/** Returns the path of a tile, without a slash before it: `tile/0/x001/x234/067.p/5`. */
export function tilePath({ level, n, width }: TileName): string {
  const digits = String(n);
  const parts = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g) ?? [];
  const place = parts.map((part, at) => (at < parts.length - 1 ? `x${part}` : part)).join('/');
  return `tile/${level < 0 ? 'entries' : level}/${place}${width < tileWidth ? `.p/${width}` : ''}`;
}

/** Parses the path of a tile, or returns undefined if no tile has it. */
export function parseTilePath(path: string): TileName | undefined {
  const [, level = '', place = '', width = String(tileWidth)] =
    /^tile\/(\d{1,2}|entries)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path) ?? [];
  const n = Number(place.replace(/[x/]/g, ''));
  const name = { level: level === 'entries' ? -1 : Number(level), n, width: Number(width) };
  const isOne = name.level <= highestLevel && name.width > 0 && name.width <= tileWidth;
  return isOne && tilePath(name) === path ? name : undefined;
}

/** Returns the width of a tile of a log of `size` entries. At most 0 if the log has no such tile yet. */
export function widthAt(size: number, level: number, n: number): number {
  const hashes = Math.floor(size / tileWidth ** Math.max(level, 0));
  return Math.min(hashes - n * tileWidth, tileWidth);
}

// Entries

/** Returns the bytes that an entry adds to a bundle of entries. */
export function bundledEntry(entry: Uint8Array): Uint8Array {
  if (entry.length > longestEntry) {
    throw new Error(`an entry must have at most ${longestEntry} bytes (got ${entry.length})`);
  }
  return concatBytes(Uint8Array.of(entry.length >> 8, entry.length & 255), entry);
}

/** Returns the entries of a bundle, or undefined if the bundle is cut short. */
export function bundleEntries(bundle: Uint8Array): Uint8Array[] | undefined {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bundle.length) {
    const start = at + 2;
    at = start + (((bundle[at] ?? 0) << 8) | (bundle[at + 1] ?? 0));
    if (at > bundle.length) return undefined;
    entries.push(bundle.subarray(start, at));
  }
  return entries;
}

// Ranges. [start, end) always is a subtree of RFC 6962: what a tree of `end` entries has to the right of `start`.

type Range = readonly [start: number, end: number];

/** The largest power of two below `count`, which is at least 2: where RFC 6962 divides a tree. */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** The way from a leaf up to the root, from the first subtree that fits: this one, and the siblings on the way. */
function wayUp(index: number, size: number, fits: (start: number, end: number) => boolean) {
  const siblings: Range[] = [];
  let start = 0;
  let end = size;
  while (!fits(start, end)) {
    const middle = start + splitOf(end - start);
    siblings.push(index < middle ? [middle, end] : [start, middle]);
    if (index < middle) end = middle;
    else start = middle;
  }
  return { first: [start, end] as const, siblings: siblings.toReversed() };
}

const inclusionRanges = (index: number, size: number): Range[] =>
  wayUp(index, size, (start, end) => end - start === 1).siblings;

// Reading

/** Returns the root of the first `size` entries. */
export async function rootFromTiles(read: ReadTile, size: number): Promise<Uint8Array> {
  return size === 0 ? sha256(new Uint8Array()) : hashOf(onceEach(read, size), [0, size]);
}

/** Returns the path from an entry to the root of the first `size` entries. */
export async function inclusionProof(read: ReadTile, index: number, size: number): Promise<Uint8Array[]> {
  if (!(index >= 0 && index < size)) throw new Error(`a log of ${size} entries has no entry ${index}`);
  const tiles = onceEach(read, size);
  return Promise.all(inclusionRanges(index, size).map((range) => hashOf(tiles, range)));
}

/** Returns the proof that the first `old` entries are the beginning of the first `size` entries. */
export async function consistencyProof(read: ReadTile, old: number, size: number): Promise<Uint8Array[]> {
  if (!(old >= 0 && old <= size)) throw new Error(`a log of ${size} entries does not begin with ${old}`);
  if (old === 0 || old === size) return [];
  const tiles = onceEach(read, size);
  const { first, siblings } = wayUp(old - 1, size, (_, end) => end === old);
  const ranges = first[0] > 0 ? [first, ...siblings] : siblings;
  return Promise.all(ranges.map((range) => hashOf(tiles, range)));
}

type Tiles = (level: number, n: number) => Promise<Uint8Array>;

/** Reads each tile once, as wide as it is in a log of `size` entries. */
function onceEach(read: ReadTile, size: number): Tiles {
  const tiles = new Map<string, Promise<Uint8Array>>();
  return (level, n) => {
    const name = `${level}/${n}`;
    const found = tiles.get(name) ?? readWhole(read, level, n, widthAt(size, level, n));
    tiles.set(name, found);
    return found;
  };
}

async function readWhole(read: ReadTile, level: number, n: number, width: number): Promise<Uint8Array> {
  const bytes = await read(level, n, width);
  if (bytes.length < width * 32) {
    throw new Error(
      `the tile ${tilePath({ level, n, width })} must have ${width * 32} bytes (got ${bytes.length})`,
    );
  }
  return bytes.subarray(0, width * 32);
}

/** The hash of a subtree. A complete one of at most 256 hashes is in one tile; every other one consists of two. */
async function hashOf(tiles: Tiles, [start, end]: Range): Promise<Uint8Array> {
  const count = end - start;
  const split = splitOf(Math.max(count, 2));
  if (count > 1 && split * 2 !== count) {
    return nodeOf(
      ...(await Promise.all([hashOf(tiles, [start, start + split]), hashOf(tiles, [start + split, end])])),
    );
  }
  let level = 0;
  let span = 1;
  while (span * tileWidth <= count) {
    level += 1;
    span *= tileWidth;
  }
  const first = start / span;
  const tile = await tiles(level, Math.floor(first / tileWidth));
  const at = first % tileWidth;
  return hashIn(tile, at, at + count / span);
}

/** The hash over the hashes of a tile from `start` to `end`, whose number is a power of two. */
function hashIn(tile: Uint8Array, start: number, end: number): Uint8Array {
  if (end - start === 1) return tile.slice(start * 32, end * 32);
  const middle = (start + end) / 2;
  return nodeOf(hashIn(tile, start, middle), hashIn(tile, middle, end));
}

// Appending

/**
 * Returns the hashes that the tiles get when an entry follows the first `size` entries: its leaf, and the hash of each
 * tile that it fills. Reads only the tiles that it fills.
 */
export async function appendedHashes(read: ReadTile, size: number, leaf: Uint8Array): Promise<AddedHash[]> {
  const added: AddedHash[] = [];
  let hash = leaf;
  for (let level = 0, at = size; ; level++, at = Math.floor(at / tileWidth)) {
    const n = Math.floor(at / tileWidth);
    const width = (at % tileWidth) + 1;
    added.push({ level, n, width, hash });
    if (width < tileWidth) return added;
    hash = hashIn(concatBytes(await readWhole(read, level, n, width - 1), hash), 0, tileWidth);
  }
}

// Verifying

/** Whether the path leads from an entry's leaf at `index` to the root of a log of `size` entries. */
export function verifyInclusion(
  {
    index,
    leaf,
    path,
  }: { readonly index: number; readonly leaf: Uint8Array; readonly path: readonly Uint8Array[] },
  { size, root }: { readonly size: number; readonly root: Uint8Array },
): boolean {
  if (!(Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size)) {
    return false;
  }
  const ranges = inclusionRanges(index, size);
  if (path.length !== ranges.length) return false;
  const isRight = ranges.map(([start]) => start > index);
  return equalBytes(
    root,
    path.reduce((hash, sibling, at) => (isRight[at] ? nodeOf(hash, sibling) : nodeOf(sibling, hash)), leaf),
  );
}
