import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs, some } from '@eaas/test-kit/cases';
import { verifyConsistency } from '@eaas/test-kit/consistency';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { fromHex, toHex } from '../bytes.ts';
import { toUtf8 } from '../text.ts';
import {
  appendedHashes,
  bundledEntry,
  bundleEntries,
  consistencyProof,
  entryLeaf,
  inclusionProof,
  parseTilePath,
  type ReadTile,
  rootFromTiles,
  tilePath,
  verifyInclusion,
  widthAt,
} from './log-tree.ts';

const most = 300;

/** A log as a store has it: every tile only grows. `asked` has the tiles that were read. */
async function logOf(size: number, entry = (index: number): Uint8Array => toUtf8(String(index))) {
  const tiles = new Map<string, number[]>();
  const leaves: Uint8Array[] = [];
  const asked: string[] = [];
  const read: ReadTile = async (level, n, width) => {
    asked.push(tilePath({ level, n, width }));
    return Uint8Array.from(tiles.get(`${level}/${n}`) ?? []);
  };
  for (let index = 0; index < size; index++) {
    const leaf = entryLeaf(entry(index));
    leaves.push(leaf);
    for (const { level, n, width, hash } of await appendedHashes(read, index, leaf)) {
      const tile = tiles.get(`${level}/${n}`) ?? [];
      tiles.set(`${level}/${n}`, tile);
      tile.push(...hash);
      if (tile.length !== width * 32) throw new Error('a hash is at a wrong place');
    }
  }
  return { tiles, leaves, read, asked };
}

const sha256 = (...parts: Uint8Array[]): Uint8Array =>
  Uint8Array.from(createHash('sha256').update(Buffer.concat(parts)).digest());

/** MTH of RFC 6962, section 2.1, as it stands there. */
function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length < 2) return leaves[0] ?? sha256();
  let k = 1;
  while (2 * k < leaves.length) k *= 2;
  return sha256(Uint8Array.of(1), rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

const sizes = Array.from({ length: most + 1 }, (_, size) => size);
const log = await logOf(most);
const heads = sizes.map((size) => ({ size, root: rootOf(log.leaves.slice(0, size)) }));
const headOf = (size: number) => heads[size] as (typeof heads)[number];
const leafAt = (index: number) => log.leaves[index] as Uint8Array;

/** Each proof with one bit changed, one hash less, one more, and two hashes exchanged. */
function altered(proof: readonly Uint8Array[]): (readonly Uint8Array[])[] {
  const flipped = proof.flatMap((hash, at) =>
    some(
      6,
      Array.from({ length: 256 }, (_, bit) => bit),
    ).map((bit) => proof.with(at, hash.with(bit >> 3, (hash[bit >> 3] as number) ^ (1 << (bit & 7))))),
  );
  return [
    ...flipped,
    proof.slice(1),
    proof.slice(0, -1),
    [...proof, headOf(1).root],
    [headOf(1).root, ...proof],
  ].filter((each) => each.length !== proof.length || each.some((hash, at) => hash !== proof[at]));
}

describe.each(vectors('log-tree').cases)('the log of $name', (vector) => {
  const { short_entries } = vectors('log-tree');
  const { name, size } = vector;

  test('has the root, the tiles and the proofs of the vector', async () => {
    const entry = name === 'eight entries' ? (n: number) => fromHex(short_entries[n] ?? '') : undefined;
    const { read, tiles } = await logOf(size, entry);
    expect(toHex(await rootFromTiles(read, size))).toBe(vector.root);
    for (const { path, sha256: digest } of vector.last_tiles) {
      const { level, n, width } = parseTilePath(path) ?? { level: -2, n: 0, width: 0 };
      expect(widthAt(size, level, n)).toBe(width);
      expect(toHex(sha256(Uint8Array.from(tiles.get(`${level}/${n}`) ?? [])))).toBe(digest);
    }
    const now = { size, root: fromHex(vector.root) };
    for (const { index, leaf, path } of vector.inclusion) {
      expect(await inclusionProof(read, index, size)).toEqual(path.map(bytes));
      expect(verifyInclusion({ index, leaf: fromHex(leaf), path: path.map(bytes) }, now)).toBe(true);
    }
    for (const { old, proof } of vector.consistency) {
      expect(await consistencyProof(read, old, size)).toEqual(proof.map(bytes));
    }
  });
});

test('the root of every size up to 300 comes from the tiles of the last size', async () => {
  for (const { size, root } of heads) expect(await rootFromTiles(log.read, size)).toEqual(root);
});

test('every entry is proven in every size up to 300', async () => {
  for (const size of some(12, sizes)) {
    for (const index of some(12, sizes.slice(0, size))) {
      const path = await inclusionProof(log.read, index, size);
      expect(verifyInclusion({ index, leaf: leafAt(index), path }, headOf(size))).toBe(true);
    }
  }
});

test('every size up to 300 is proven to begin every larger one', async () => {
  for (const size of some(12, sizes)) {
    for (const old of some(12, sizes.slice(0, size + 1))) {
      const proof = await consistencyProof(log.read, old, size);
      expect(verifyConsistency(headOf(old), headOf(size), proof)).toBe(true);
    }
  }
});

const few = [1, 2, 3, 7, 8, 255, 256, 257, 300];

test.each(few)('no changed proof is accepted in a log of %d entries', async (size) => {
  for (const index of new Set([0, size >> 1, size - 1])) {
    const path = await inclusionProof(log.read, index, size);
    const claim = { index, leaf: leafAt(index), path };
    for (const each of altered(path)) {
      expect(verifyInclusion({ ...claim, path: each }, headOf(size))).toBe(false);
    }
    for (const other of [index - 1, index + 1, size]) {
      expect(verifyInclusion({ ...claim, index: other }, headOf(size))).toBe(false);
    }
    expect(verifyInclusion({ ...claim, leaf: sha256(claim.leaf) }, headOf(size))).toBe(false);
  }
});

test('sizes and indexes that no log has are refused', () => {
  const [leaf, path] = [leafAt(0), [] as Uint8Array[]];
  for (const index of [-1, 1, 0.5, Number.NaN, 2 ** 53]) {
    expect(verifyInclusion({ index, leaf, path }, headOf(1))).toBe(false);
  }
  for (const size of [-1, 0, 0.5, Number.NaN, Infinity, 2 ** 53]) {
    expect(verifyInclusion({ index: 0, leaf, path }, { size, root: leaf })).toBe(false);
  }
});

test('a proof in a large log reads few tiles, none of them twice', async () => {
  const asked: string[] = [];
  const read: ReadTile = async (level, n, width) => {
    asked.push(tilePath({ level, n, width }));
    return new Uint8Array(width * 32);
  };
  await inclusionProof(read, 1_234_567, 5_256_000);
  await consistencyProof(read, 5_255_999, 5_256_000);
  expect(asked.length).toBeLessThan(20);
  asked.length = 0;
  await inclusionProof(read, 17, 5_256_000);
  expect(new Set(asked).size).toBe(asked.length);
});

test('a tile that is too short is refused, and what is behind its width is ignored', async () => {
  const short: ReadTile = async (_, __, width) => new Uint8Array(width * 32 - 1);
  await expect(rootFromTiles(short, 3)).rejects.toThrow('tile/0/000.p/3 must have 96 bytes (got 95)');
  expect(await rootFromTiles(log.read, 3)).toEqual(headOf(3).root);
});

test('an entry or a beginning that the log does not have has no proof', async () => {
  await expect(inclusionProof(log.read, 3, 3)).rejects.toThrow('no entry 3');
  await expect(consistencyProof(log.read, 4, 3)).rejects.toThrow('does not begin with 4');
});

test('appending reads only tiles that become full', async () => {
  const { asked } = await logOf(600);
  expect(asked).toEqual(['tile/0/000.p/255', 'tile/0/001.p/255']);
});

test.each([
  ['tile/0/000', { level: 0, n: 0, width: 256 }],
  ['tile/0/000.p/1', { level: 0, n: 0, width: 1 }],
  ['tile/63/x001/x234/067', { level: 63, n: 1_234_067, width: 256 }],
  ['tile/1/x999/999.p/255', { level: 1, n: 999_999, width: 255 }],
  ['tile/entries/x001/000.p/12', { level: -1, n: 1_000, width: 12 }],
])('%s is the path of one tile', (path, name) => {
  expect(tilePath(name)).toBe(path);
  expect(parseTilePath(path)).toEqual(name);
});

const noPaths =
  'tile tile/0 tile/0/ tile/0/0 tile/0/0000 tile/0/x000/001 tile/0/001/002 tile/0/x001 tile/0/00x /tile/0/000 ' +
  'tile/64/000 tile/00/000 tile/-1/000 tile/data/000 tile/0/000.p/0 tile/0/000.p/256 tile/0/000.p/01 tile/0/000.p/ ' +
  'tile/0/000.p tile/0/000/ tile/0/x123/x456/x789/x012/x345/678 tile/0/%30%30%30 tile/0/\u0660\u0660\u0660';

test.each(['', 'tile/0/000\n', ...noPaths.split(' ')])('%j is the path of no tile', (path) => {
  expect(parseTilePath(path)).toBeUndefined();
});

test('the entries of a bundle are those that were put into it', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1 }), (entries) => {
      const bundle = Uint8Array.from(Buffer.concat(entries.map(bundledEntry)));
      expect(bundleEntries(bundle)).toEqual(entries);
      expect(bundleEntries(bundle.subarray(0, -1))).toBeUndefined();
    }),
    { numRuns: runs(300) },
  );
  expect(bundledEntry(new Uint8Array(65_535)).length).toBe(65_537);
  expect(() => bundledEntry(new Uint8Array(65_536))).toThrow('at most 65535 bytes');
});

test('the width of a tile of a tree of 70,000 is that of tlog-tiles', () => {
  expect([272, 273, 274].map((n) => widthAt(70_000, 0, n))).toEqual([256, 112, -144]);
  expect([0, 1].map((n) => widthAt(70_000, 1, n))).toEqual([256, 17]);
  expect(widthAt(70_000, 2, 0)).toBe(1);
  expect([0, 1].map((level) => widthAt(256, level, 0))).toEqual([256, 1]);
});
