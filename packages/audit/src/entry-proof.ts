// Proofs of single entries: a chain of whole entries up to a head that the public log has.
import { genesisHash } from '@eaas/protocol/audit';
import { ChainWalk, toHex } from '@eaas/protocol/internal-audit';
import {
  LogProofError,
  parseExtra,
  parseTlogProof,
  type ProvenMoment,
  type VerifiedProof,
} from '@eaas/protocol/internal-log';
import { type AuditEntry, isChained, isEntry } from './entry.ts';

/**
 * A proof of one audit entry as plain JSON, for somebody who trusts neither you nor the service: `verifyProof` checks it
 * offline. **It contains whole entries**: the proven one, and each that follows up to a head that witnesses have seen.
 * They name the ids of people, IP addresses and contexts. Read them before you hand it on.
 */
export interface EntryProof {
  readonly version: 1;
  readonly tenant_id: string;
  /** The hash of the entry before the proven one. */
  readonly previous_hash: string;
  /** The proven entry. */
  readonly entry: AuditEntry;
  /** The entries after it, up to the proven head. Empty if the proven entry is the head. */
  readonly entries: readonly AuditEntry[];
  /** The proof of the head, a C2SP tlog-proof. */
  readonly proof: string;
}

/** The members of an entry, which its hash covers. */
const members = [
  ...(['id', 'tenant_id', 'action', 'key_id', 'key_version', 'actor'] as const),
  ...(['ip_address', 'metadata', 'created_at', 'hash'] as const),
];

/** Returns an entry with only the members that its hash covers. */
export function ownMembers(entry: AuditEntry): AuditEntry {
  return Object.fromEntries(members.map((name) => [name, entry[name]])) as unknown as AuditEntry;
}

/** Returns what a proof says about its head, without verifying it. */
export function statedHead(proof: string): ProvenMoment {
  const { extra = new Uint8Array() } = parseTlogProof(proof) ?? {};
  return parseExtra(extra) ?? refuse('proof_format', 'it is no proof of the head of an audit log');
}

/** Returns the entry of a proof whose entries form a chain from it to a head that is proven. Throws LogProofError. */
export function requireChain(
  { version, tenant_id, previous_hash, entry, entries, proof }: EntryProof,
  head: Pick<VerifiedProof, 'tenantId' | 'id' | 'hash'>,
): AuditEntry {
  const isProof =
    version === 1 &&
    [tenant_id, proof].every((text) => typeof text === 'string') &&
    /^[0-9a-f]{64}$/.test(previous_hash) &&
    Array.isArray(entries) &&
    [entry, ...entries].every(isEntry);
  if (!isProof) refuse('proof_format', 'it must be an object that `proveEntry` returned');
  if (tenant_id !== head.tenantId) refuse('proof_chain', 'its entries are of another tenant than its head');
  if (entry.id === 1 && previous_hash !== toHex(genesisHash(tenant_id)))
    refuse('proof_chain', 'entry 1 does not begin the log of this tenant');
  const chain = new ChainWalk({ next: entry.id, previous: previous_hash });
  for (const each of [entry, ...entries]) {
    const { missing, isRepeated, isAltered } = chain.step(each, (previous) => isChained(previous, each));
    if (missing > 0 || isRepeated)
      refuse('proof_chain', `entry ${each.id} is not where entry ${each.id - missing} must be`);
    // A member that the hash does not cover would look as if it were proven.
    const isExact = Object.keys(each).length === members.length;
    if (isAltered || each.tenant_id !== tenant_id || !isExact)
      refuse('proof_chain', `entry ${each.id} was altered`);
  }
  if (chain.next !== head.id + 1 || chain.previous !== head.hash)
    refuse('proof_chain', `its entries do not end in entry ${head.id}, the proven head`);
  return entry;
}

function refuse(...reason: ConstructorParameters<typeof LogProofError>): never {
  throw new LogProofError(...reason);
}
