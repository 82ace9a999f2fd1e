// Makes the proof of an entry for somebody else, from what the service returns.
import { InputError } from '@eaas/protocol';
import {
  countFrom,
  type OptionRules,
  requireKind,
  requireOptions,
  type Rule,
  ServiceError,
  signal,
  text,
  toHex,
} from '@eaas/protocol/internal';
import { LogProofError } from '@eaas/protocol/internal-log';
import { type AuditEntry, type AuditHead, digestOf, genesisOf, isHead } from './entry.ts';
import { type EntryProof, ownMembers, requireChain, statedHead } from './entry-proof.ts';
import { type Abortable, callsOf, type ProofSource } from './source.ts';
import { verifyProof } from './verify-proof.ts';

/** Options of `proveEntry`. */
export interface ProveOptions extends Abortable {
  /**
   * The text of a trust policy (https://c2sp.org/tlog-policy), to verify the proof before it is returned. Without it,
   * only the chain of entries is checked: verify what you get before you rely on it.
   */
  readonly policy?: string | undefined;
  /** The largest number of entries that the proof may chain. Defaults to 10,000. */
  readonly maxEntries?: number | undefined;
}

const entryRule: Rule = (value) =>
  (Number.isSafeInteger(value) && (value as number) > 0) ||
  isHead(Object(value) as Partial<AuditHead>) ||
  'the id of an entry, or a receipt `{ id, hash }`';

const proveOptions: OptionRules<ProveOptions> = { policy: text, maxEntries: countFrom(1), signal };

/**
 * Returns a proof that an entry existed by a time, which anyone can check offline with `verifyProof`. `entry` is a receipt
 * `{ id, hash }` of a call, or an id. **The proof contains the whole entry**, with ids of people, an IP address and a context: read
 * it before you hand it on. Of the entries that follow it has digests.
 * Throws LogProofError `proof_chain` if the log has another entry than the receipt, or does not lead to the proven head.
 * Throws ServiceError `not_found` if the entry was purged, if the service keeps no public log, and until its next moment
 * after the entry.
 *
 * @example
 * ```ts
 * import { proveEntry } from '@eaas/audit';
 *
 * const { entry } = await eaas.subjects.erase({ subject: 'patient-9' }, { create: true });
 * const proof = await proveEntry(eaas, entry, { policy });
 * await store(JSON.stringify(proof)); // for the person, who checks it with `verifyProof`
 * ```
 */
export async function proveEntry(
  source: ProofSource,
  entry: number | AuditHead,
  options: ProveOptions = {},
): Promise<EntryProof> {
  requireKind(entryRule, entry, '`entry`');
  requireOptions(proveOptions, options, 'proveEntry');
  const audit = callsOf(source);
  const { policy, maxEntries = 10_000, signal } = options;
  const { id, hash } = typeof entry === 'number' ? { id: entry, hash: undefined } : entry;

  const { proof } = await audit.proof({ id }, { signal });
  const stated = statedHead(proof);
  const head =
    policy === undefined ? { ...stated, hash: toHex(stated.hash) } : await verifyProof(proof, policy);
  if (head.id < id) {
    throw new ServiceError('invalid_response', `the service returned a proof of a head before entry ${id}`);
  }
  const count = head.id - id + 1;
  if (count > maxEntries) {
    throw new InputError(
      `the proof of entry ${id} would chain ${count} entries, up to the first head that the public log ` +
        `has: pass \`maxEntries\` to allow so many`,
    );
  }
  const entries: AuditEntry[] = [];
  for await (const each of audit.list({}, { from: Math.max(1, id - 1), signal })) {
    if (each.id <= head.id) entries.push(each);
    if (each.id >= head.id) break;
  }
  const before = entries[0]?.id === id - 1 ? entries.shift() : await headBefore(audit, id, head, signal);
  const [first, ...others] = entries;
  if (first?.id !== id || !before) {
    throw new ServiceError('not_found', `the audit log does not have entry ${id} any more: it was purged`);
  }
  if (hash !== undefined && first.hash !== hash) {
    throw new LogProofError(
      'proof_chain',
      `entry ${id} has the hash ${first.hash}, but the receipt says ${hash}: it is of another tenant, or the log was rewritten`,
    );
  }
  const { tenant_id } = first;
  const digests = others.map((each) => digestOf(each) ?? '');
  const chained = { tenant_id, previous_hash: before.hash, entry: ownMembers(first), digests };
  const proven: EntryProof = { version: 2, ...chained, proof };
  requireChain(proven, head);
  return proven;
}

/** Returns the entry before the first one of a log: nothing is before entry 1, and purged ones are before any other. */
export async function headBefore(
  audit: ProofSource['audit'],
  id: number,
  head: { readonly id: number; readonly tenantId: string },
  signal: AbortSignal | undefined,
): Promise<AuditHead | undefined> {
  if (id === 1) return genesisOf(head.tenantId);
  const { purged_through: purged } = await audit.verify({ from_id: head.id }, { signal });
  return purged?.id === id - 1 ? purged : undefined;
}
