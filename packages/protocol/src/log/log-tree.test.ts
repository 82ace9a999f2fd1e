import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { some } from '@eaas/test-kit/cases';
import {
  appendedHashes,
  consistencyProof,
  entryLeaf,
  inclusionProof,
  type ReadTile,
  rootFromTiles,
  verifyConsistency,
  verifyInclusion,
} from './log-tree.ts';
import { toUtf8 } from '../text.ts';

const most = 300;

const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** MTH of RFC 6962, section 2.1, as it stands there. */
function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0] as Uint8Array;
  const k = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return sha256(Buffer.of(1), rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

/** The tiles of a log as the store has them: each only grows. */
async function logOf(size: number, entry = (index: number): Uint8Array => toUtf8(`entry ${index}`)) {
  const tiles = new Map<string, Uint8Array>();
  const asked: string[] = [];
  const read: ReadTile = async (level, n) => {
    asked.push(`${level}/${n}`);
    return tiles.get(`${level}/${n}`) ?? new Uint8Array();
  };
  const leaves: Uint8Array[] = [];
  for (let index = 0; index < size; index++) {
    const leaf = entryLeaf(entry(index));
    leaves.push(leaf);
    for (const { level, n, width, hash } of await appendedHashes(read, index, leaf)) {
      const tile = Buffer.concat([tiles.get(`${level}/${n}`) ?? Buffer.of(), hash]);
      expect(tile.length).toBe(width * 32);
      tiles.set(`${level}/${n}`, tile);
    }
  }
  return { tiles, asked, read, leaves };
}

const log = await logOf(most);
const roots = Array.from({ length: most + 1 }, (_, size) => rootOf(log.leaves.slice(0, size)));
const sizes = Array.from({ length: most + 1 }, (_, size) => size);
const at = (size: number) => ({ size, root: roots[size] as Uint8Array });

describe('the tree of the log', () => {
  test('the root of every size up to 300 is that of RFC 6962, from the tiles of size 300', async () => {
    for (const size of sizes)
      expect(Buffer.from(await rootFromTiles(log.read, size))).toEqual(
        Buffer.from(roots[size] as Uint8Array),
      );
  });

  test('every entry is proven to be in every size up to 300', async () => {
    for (const size of some(9, sizes))
      for (let index = 0; index < size; index++) {
        const path = await inclusionProof(log.read, index, size);
        expect(verifyInclusion({ index, leaf: log.leaves[index] as Uint8Array, path }, at(size))).toBe(true);
      }
  });

  test('every size up to 300 is proven to be the beginning of every larger one', async () => {
    for (const size of some(9, sizes))
      for (let old = 0; old <= size; old++)
        expect(verifyConsistency(at(old), at(size), await consistencyProof(log.read, old, size))).toBe(true);
  });
});
