// Proofs of single entries: an entry, and the digests that chain it to a head that the public log has.
import {
  LogProofError,
  parseExtra,
  parseTlogProof,
  type ProvenMoment,
  type VerifiedProof,
} from '@eaas/protocol/internal-log';
import { type AuditEntry, genesisOf, hashAfter, isChained, isEntry, isHash } from './entry.ts';

/**
 * A proof of one audit entry as plain JSON, for somebody who trusts neither you nor the service: `verifyProof` checks it
 * offline. **It contains the whole entry**, with ids of people, an IP address and a context: read it before you hand it on. Of
 * the entries that follow, up to a head that witnesses have seen, it has digests, which tell nothing.
 */
export interface EntryProof {
  readonly version: 2;
  readonly tenant_id: string;
  /** The hash of the entry before the proven one. */
  readonly previous_hash: string;
  /** The proven entry. */
  readonly entry: AuditEntry;
  /** The digests of the entries after it, up to the proven head. Empty if the proven entry is the head. */
  readonly digests: readonly string[];
  /** The proof of the head, a C2SP tlog-proof. */
  readonly proof: string;
}

/** The members of an entry, which its hash covers, in the order in which a service writes them. */
export const members = [
  'id',
  'tenant_id',
  'action',
  'key_id',
  'key_version',
  'actor',
  'ip_address',
  'metadata',
  'created_at',
  'salt',
  'hash',
] as const;

/** Returns an entry with only the members that its hash covers. */
export function ownMembers(entry: AuditEntry): AuditEntry {
  return Object.fromEntries(members.map((name) => [name, entry[name]])) as unknown as AuditEntry;
}

/** Whether an entry has only the members that its hash covers. */
export const isExact = (entry: AuditEntry): boolean => Object.keys(entry).length === members.length;

/** Returns what a proof says about its head, without verifying it. */
export function statedHead(proof: string): ProvenMoment {
  const { extra = new Uint8Array() } = parseTlogProof(proof) ?? {};
  return parseExtra(extra) ?? refuse('proof_format', 'it is no proof of the head of an audit log');
}

/** Returns the entry of a proof whose digests chain it to a head that is proven. Throws LogProofError. */
export function requireChain(
  { version, tenant_id, previous_hash, entry, digests, proof }: EntryProof,
  head: Pick<VerifiedProof, 'tenantId' | 'id' | 'hash'>,
): AuditEntry {
  const isProof =
    version === 2 &&
    [tenant_id, proof].every((text) => typeof text === 'string') &&
    isHash(previous_hash) &&
    Array.isArray(digests) &&
    digests.every(isHash) &&
    isEntry(entry);
  if (!isProof) refuse('proof_format', 'it must be an object that `proveEntry` returned');
  if (tenant_id !== head.tenantId) refuse('proof_chain', 'its entry is of another tenant than its head');
  if (entry.id === 1 && previous_hash !== genesisOf(tenant_id).hash) {
    refuse('proof_chain', 'entry 1 does not begin the log of this tenant');
  }
  // A member that the hash does not cover would look as if it were proven.
  if (!isChained(previous_hash, entry) || entry.tenant_id !== tenant_id || !isExact(entry)) {
    refuse('proof_chain', `entry ${entry.id} was altered`);
  }
  if (entry.id + digests.length !== head.id || digests.reduce(hashAfter, entry.hash) !== head.hash) {
    refuse('proof_chain', `its digests do not end in entry ${head.id}, the proven head`);
  }
  return entry;
}

function refuse(...reason: ConstructorParameters<typeof LogProofError>): never {
  throw new LogProofError(...reason);
}
