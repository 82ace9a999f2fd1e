import { expect, test } from 'vitest';
import { finish } from '@eaas/test-kit/finish';
import { toHex } from '../bytes.ts';
import { fromUtf8, toUtf8 } from '../text.ts';
import { sha256 } from '@noble/hashes/sha2.js';
import { runs } from '@eaas/test-kit/cases';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import * as fc from 'fast-check';
import { entryLeaf } from './log-tree.ts';
import { buildPrefixTree, leafOf, positionOf, rootFromPath, type TenantHead } from './prefix-tree.ts';
import { momentEntry } from './proof.ts';

const tenantOf = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
const headOf = (n: number): TenantHead => ({
  tenantId: tenantOf(n),
  id: n + 1,
  hash: sha256(toUtf8(String(n))),
});
const headsTo = (count: number): TenantHead[] => Array.from({ length: count }, (_, n) => headOf(n));

test.each(vectors('log-moment').cases)(
  'the tree of $name has the root and the paths of the vector',
  ({ count, root, paths, time, entry, entry_leaf }) => {
    const tree = finish(buildPrefixTree(headsTo(count)));
    expect(toHex(tree.root)).toBe(root);
    for (const { head, position, leaf, path } of paths) {
      const tenantId = tenantOf(head);
      expect(toHex(positionOf(tenantId))).toBe(position);
      expect(toHex(leafOf(headOf(head)))).toBe(leaf);
      expect(tree.pathOf(tenantId)).toEqual(path.map(bytes));
    }
    expect(fromUtf8(momentEntry(time, tree.root))).toBe(entry);
    expect(toHex(entryLeaf(momentEntry(time, tree.root)))).toBe(entry_leaf);
  },
);

test('every path leads to the root, in whatever order the heads came', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(10_000), { maxLength: 60 }), (numbers) => {
      const tree = finish(buildPrefixTree(numbers.map(headOf)));
      const sorted = finish(buildPrefixTree(numbers.toSorted((a, b) => a - b).map(headOf)));
      expect(sorted.root).toEqual(tree.root);
      for (const n of numbers) {
        const path = tree.pathOf(tenantOf(n)) ?? [];
        expect(rootFromPath(headOf(n), path)).toEqual(tree.root);
      }
    }),
    { numRuns: runs(200) },
  );
});

test('no other head of the tenant has a path to the root', () => {
  const tree = finish(buildPrefixTree(headsTo(100)));
  const path = tree.pathOf(tenantOf(5)) ?? [];
  expect(rootFromPath(headOf(5), path)).toEqual(tree.root);
  expect(rootFromPath({ ...headOf(5), id: 7 }, path)).not.toEqual(tree.root);
  expect(rootFromPath({ ...headOf(5), hash: headOf(6).hash }, path)).not.toEqual(tree.root);
  expect(rootFromPath(headOf(6), path)).not.toEqual(tree.root);
  expect(rootFromPath(headOf(5), path.slice(1))).not.toEqual(tree.root);
});

test('a tenant without a head has no path', () => {
  expect(finish(buildPrefixTree(headsTo(100))).pathOf(tenantOf(100))).toBeUndefined();
  expect(finish(buildPrefixTree([])).pathOf(tenantOf(0))).toBeUndefined();
});

test('two heads of one tenant are refused', () => {
  const twice = [...headsTo(3), { ...headOf(1), id: 9 }];
  expect(() => finish(buildPrefixTree(twice))).toThrow('one head of each tenant');
});

test('a path with more hashes than a position has bits is refused', () => {
  const path = Array.from({ length: 257 }, () => new Uint8Array(32));
  expect(() => rootFromPath(headOf(0), path)).toThrow('at most 256');
});

test('the work can be paused after each head', () => {
  let steps = 0;
  for (const work = buildPrefixTree(headsTo(50)); !work.next().done;) steps++;
  expect(steps).toBeGreaterThan(50);
});
