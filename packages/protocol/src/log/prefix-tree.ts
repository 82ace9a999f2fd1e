// The tree of one moment: the head of every tenant, at a position that only its id decides. A tenant has one position, so a tree
// cannot hold two heads of one tenant. A part of the tree with one tenant is its leaf, at whatever depth.
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import type { ChainHead } from '../checkpoint.ts';
import { pae } from '../pae.ts';
import { nodeOf } from './log-tree.ts';

/** The newest audit entry of a tenant. */
export interface TenantHead extends ChainHead {
  readonly tenantId: string;
}

/** The tree of a moment. */
export interface PrefixTree {
  readonly root: Uint8Array;
  /** Returns the siblings from the tenant's leaf up, the last of them at depth 0. Undefined if the tree has no such tenant. */
  pathOf(tenantId: string): Uint8Array[] | undefined;
}

type Leaf = { readonly position: Uint8Array; readonly hash: Uint8Array };
type Part = Leaf | { readonly hash: Uint8Array; readonly halves: readonly [Part, Part] } | undefined;

/** Work that the caller can pause at each `yield`. */
type Steps<T> = Generator<undefined, T>;

/** The longest path: two positions differ at the latest in their last bit. */
export const longestPath = 256;

const empty = /* @__PURE__ */ new Uint8Array(32);
const hashOf = (part: Part): Uint8Array => part?.hash ?? empty;

/** Returns the position of a tenant: 32 bytes, read from the highest bit of the first. */
export function positionOf(tenantId: string): Uint8Array {
  return sha256(pae('eaas log tenant v1', tenantId));
}

/** Returns the hash of a tenant's leaf. */
export function leafOf({ tenantId, id, hash }: TenantHead, position = positionOf(tenantId)): Uint8Array {
  return sha256(concatBytes(Uint8Array.of(0), position, sha256(pae('eaas log head v1', tenantId, id, hash))));
}

const bitOf = (position: Uint8Array, depth: number): number =>
  ((position[depth >> 3] as number) >> (7 - (depth & 7))) & 1;

/** Builds the tree of the heads. Throws if two of them are of one tenant. */
export function* buildPrefixTree(heads: readonly TenantHead[]): Steps<PrefixTree> {
  const leaves: Leaf[] = [];
  for (const head of heads) {
    const position = positionOf(head.tenantId);
    leaves.push({ position, hash: leafOf(head, position) });
    yield;
  }
  const top = yield* partOf(leaves, 0, leaves.length, 0);
  return { root: hashOf(top), pathOf: (tenantId) => pathTo(positionOf(tenantId), top) };
}

/** Builds the part of the leaves from `start` to `end`, whose positions agree up to `depth`. Sorts them on the way. */
function* partOf(leaves: Leaf[], start: number, end: number, depth: number): Steps<Part> {
  if (start === end) return undefined;
  if (end - start === 1) return leaves[start];
  if (depth === longestPath) throw new Error('a moment must have one head of each tenant (got two of one)');
  yield;
  let middle = start;
  for (let at = start; at < end; at++) {
    const leaf = leaves[at] as Leaf;
    if (bitOf(leaf.position, depth) === 1) continue;
    leaves[at] = leaves[middle] as Leaf;
    leaves[middle++] = leaf;
  }
  const zeros = yield* partOf(leaves, start, middle, depth + 1);
  const ones = yield* partOf(leaves, middle, end, depth + 1);
  return { hash: nodeOf(hashOf(zeros), hashOf(ones)), halves: [zeros, ones] };
}

function pathTo(position: Uint8Array, top: Part): Uint8Array[] | undefined {
  const path: Uint8Array[] = [];
  let part = top;
  while (part && 'halves' in part) {
    const bit = bitOf(position, path.length);
    path.push(hashOf(part.halves[1 - bit]));
    part = part.halves[bit];
  }
  const isHere = part?.position.every((byte, at) => byte === position[at]);
  return isHere ? path.toReversed() : undefined;
}

/** Returns the root of the tree in which the leaf of a head has this path. */
export function rootFromPath(head: TenantHead, path: readonly Uint8Array[]): Uint8Array {
  if (path.length > longestPath) {
    throw new Error(`a path has at most ${longestPath} hashes (got ${path.length})`);
  }
  const position = positionOf(head.tenantId);
  return path.reduce(
    (hash, sibling, above) =>
      bitOf(position, path.length - 1 - above) === 1 ? nodeOf(sibling, hash) : nodeOf(hash, sibling),
    leafOf(head, position),
  );
}
