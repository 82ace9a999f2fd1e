// The hash chain of an audit log: what the digest of an entry covers, and how each hash rests on the one before. Services write
// the chain, and `@eaas/audit` walks along it.
import { sha256 } from '#sha256';
import { fromHex } from './bytes.ts';
import { canonicalJson } from './canonical-json.ts';
import { pae, type PaePart } from './pae.ts';

/** An audit entry in the form that `GET /v1/audit` returns, without its hash. */
export interface ChainedEntry {
  readonly tenant_id: string;
  readonly id: number;
  readonly action: string;
  readonly key_id: string | null;
  readonly key_version: number | null;
  readonly actor: string;
  readonly ip_address: string | null;
  readonly metadata: unknown;
  readonly created_at: string;
  /** 16 random bytes in hex, without which nobody can confirm a guess of what a hidden entry says. */
  readonly salt: string;
}

/**
 * An audit entry in the form of the database: `metadata` is canonical JSON, `created_at` is milliseconds since 1970, and
 * `salt` is bytes.
 */
export interface StoredEntry extends Omit<ChainedEntry, 'metadata' | 'created_at' | 'salt'> {
  readonly metadata: string;
  readonly created_at: number;
  readonly salt: Uint8Array;
}

/** Returns the genesis hash of a tenant, which is the previous hash of the tenant's first audit entry. */
export function genesisHash(tenantId: string): Uint8Array {
  return sha256(pae('eaas audit chain v1', tenantId));
}

/** The members that the digest of an entry covers, in the order in which it covers them. */
const coveredMembers = [
  'salt',
  'tenant_id',
  'id',
  'action',
  'key_id',
  'key_version',
  'actor',
  'ip_address',
  'metadata',
  'created_at',
] as const;

/** Returns the parts whose encoding the digest of an audit entry covers. */
export const entryParts = (entry: StoredEntry): PaePart[] => [
  'eaas audit entry v1',
  ...coveredMembers.map((name) => entry[name]),
];

/** Returns the parts whose encoding the hash of an audit entry covers. */
export const linkParts = (previousHash: Uint8Array, digest: Uint8Array): PaePart[] => [
  'eaas audit link v1',
  previousHash,
  digest,
];

/** Computes the digest of an audit entry in the form that `GET /v1/audit` returns. */
export function entryDigest(entry: ChainedEntry): Uint8Array {
  const stored: StoredEntry = {
    ...entry,
    metadata: canonicalJson(entry.metadata),
    created_at: Date.parse(entry.created_at),
    salt: fromHex(entry.salt),
  };
  return sha256(pae(...entryParts(stored)));
}

/** Computes the hash of an audit entry from its digest and the hash of the entry before. */
export const chainHash = (previousHash: Uint8Array, digest: Uint8Array): Uint8Array =>
  sha256(pae(...linkParts(previousHash, digest)));

/** What a walk along the chain finds at an entry. */
export interface ChainStep {
  /** How many entries are missing before this one. */
  readonly missing: number;
  /** Whether the entry is a repeated one, or out of order. */
  readonly isRepeated: boolean;
  /** Whether the hash of the entry does not follow from its content and the hash of the entry before it. */
  readonly isAltered: boolean;
  /** Whether the entry is older than the one before it. */
  readonly wentBack: boolean;
}

const sound: ChainStep = { missing: 0, isRepeated: false, isAltered: false, wentBack: false };

/** Where a walk begins: at the entry `next`, after an entry with the hash `previous`, if it is known. */
type ChainStart<Hash> = Pick<ChainWalk<Hash>, 'next' | 'previous'> & { readonly time?: number };

/**
 * Walks along an audit chain, entry by entry. After a finding the walk goes on from the stored hash of the entry, even if
 * it is wrong, because one changed entry would otherwise cause a finding at every later entry. After a gap the hash of
 * the entry before is unknown, so the next entry is not compared with it.
 */
export class ChainWalk<Hash> {
  /** The id of the entry that comes next. */
  next: number;
  /** The hash of the entry before, or undefined if it is not known. */
  previous: Hash | undefined;
  /** The time of the entry before. */
  time: number;
  /** The number of entries on the way so far. */
  checked = 0;

  constructor({ next, previous, time = 0 }: ChainStart<Hash>) {
    this.next = next;
    this.previous = previous;
    this.time = time;
  }

  /** Goes on to the entry. `follows` says whether its hash follows from its content and the hash before it. */
  step(
    entry: { readonly id: number; readonly hash: Hash | undefined; readonly time?: number },
    follows: (previous: Hash) => boolean,
  ): ChainStep {
    const { id, hash, time = this.time } = entry;
    const isRepeated = id < this.next;
    const missing = this.skipTo(id);
    const isAltered = this.previous !== undefined && !follows(this.previous);
    const wentBack = time < this.time;
    this.next = id + 1;
    this.previous = hash;
    this.time = time;
    this.checked++;
    const isSound = missing === 0 && !isRepeated && !isAltered && !wentBack;
    return isSound ? sound : { missing, isRepeated, isAltered, wentBack };
  }

  /** Goes on to the place before an entry. Returns how many entries are missing up to there. */
  skipTo(id: number): number {
    if (id <= this.next) return 0;
    const missing = id - this.next;
    this.next = id;
    this.previous = undefined;
    return missing;
  }
}
