import { InputError } from '@eaas/protocol';
import { genesisHash } from '@eaas/protocol/audit';
import { ChainWalk, toHex } from '@eaas/protocol/internal-audit';
import { LogProofError, parsePolicy, verifyProof } from '@eaas/protocol/internal-log';
import {
  callback,
  countFrom,
  having,
  type OptionRules,
  requireKind,
  requireOptions,
  type Rule,
  signal,
  text,
} from '@eaas/protocol/internal-options';
import { ServiceError, unreadable } from '../errors.ts';
import type { CallOptions } from '../transport/transport.ts';
import { type AuditHead, verifyEd25519, type VerifySignature } from './checkpoint.ts';
import { type EntryProof, ownMembers, requireChain, statedHead } from './entry-proof.ts';
import type { AuditEntry } from './list.ts';
import type { AuditMethods } from './methods.ts';
import { isHead } from './state.ts';
import { type Walk, walkChain } from './walk.ts';

/** Gives `proveEntry` access to the audit log of a tenant. An EaasClient is a ProofSource. */
export interface ProofSource {
  readonly audit: Pick<AuditMethods, 'page' | 'verify' | 'proof'>;
}

/** Options of `proveEntry`. */
export interface ProveOptions extends CallOptions {
  /**
   * The text of a trust policy (https://c2sp.org/tlog-policy), to verify the proof before it is returned. Without it,
   * only the chain of entries is checked: verify what you get before you rely on it.
   */
  readonly policy?: string | undefined;
  /** The largest number of entries that the proof may have. Defaults to 10,000. */
  readonly maxEntries?: number | undefined;
  /** A function that verifies Ed25519 signatures, for platforms whose WebCrypto lacks Ed25519. */
  readonly verifySignature?: VerifySignature | undefined;
}

const entryRule: Rule = (value) =>
  (Number.isSafeInteger(value) && (value as number) > 0) ||
  isHead(Object(value) as Partial<AuditHead>) ||
  'the id of an entry, or a receipt `{ id, hash }`';

const proveOptions: OptionRules<ProveOptions> = {
  policy: text,
  maxEntries: countFrom(1),
  verifySignature: callback,
  signal,
};

/**
 * Returns a proof that an entry existed by a time, which anyone can check offline with `verifyProof` of
 * `@eaas/sdk/proof`. `entry` is a receipt `{ id, hash }` of a call, or an id. **The proof contains whole entries**: this
 * one, and each that follows up to a head that witnesses have seen. They name the ids of people, IP addresses and
 * contexts: read them before you hand it on. Throws LogProofError `proof_chain` if the log has another entry than the
 * receipt, or does not lead to the proven head. Throws ServiceError `not_found` if the entry was purged, if the service
 * keeps no public log, and until its next moment after the entry.
 */
export async function proveEntry(
  source: ProofSource,
  entry: number | AuditHead,
  options: ProveOptions = {},
): Promise<EntryProof> {
  requireKind(entryRule, entry, '`entry`');
  requireOptions(proveOptions, options, 'proveEntry');
  const { audit } = Object(source) as ProofSource;
  requireKind(
    having('an object with `page` and `proof`', 'page', 'proof'),
    audit,
    '`audit` of the first argument',
  );
  const { policy, maxEntries = 10_000, verifySignature = verifyEd25519, signal } = options;
  const { id, hash } = typeof entry === 'number' ? { id: entry, hash: undefined } : entry;
  const trusted = policy === undefined ? undefined : parsePolicy(policy);

  const { proof } = await audit.proof({ id }, { signal });
  const stated = statedHead(proof);
  const head = trusted
    ? await verifyProof(proof, trusted, verifySignature)
    : { ...stated, hash: toHex(stated.hash) };
  if (head.id < id) throw unreadable();
  const count = head.id - id + 1;
  if (count > maxEntries)
    throw new InputError(
      `the proof of entry ${id} would have ${count} entries, up to the first head that the public log ` +
        `has: pass \`maxEntries\` to allow so many`,
    );
  const { previous, entries } = await entriesBetween(audit, id, head, signal);
  const [first, ...others] = entries.map(ownMembers);
  if (first?.id !== id || previous === undefined)
    throw new ServiceError('not_found', `the audit log does not have entry ${id} any more: it was purged`);
  if (hash !== undefined && first.hash !== hash)
    throw new LogProofError(
      'proof_chain',
      `entry ${id} has the hash ${first.hash}, but the receipt says ${hash}: it is of another tenant, or the log was rewritten`,
    );
  const proven: EntryProof = {
    version: 1,
    tenant_id: first.tenant_id,
    previous_hash: previous,
    entry: first,
    entries: others,
    proof,
  };
  requireChain(proven, head);
  return proven;
}

/** Reads the entries from one to a head, and the hash of the entry before. What is wrong with them is found later. */
async function entriesBetween(
  audit: ProofSource['audit'],
  id: number,
  head: AuditHead & { readonly tenantId: string },
  signal: AbortSignal | undefined,
): Promise<{ previous: string | undefined; entries: AuditEntry[] }> {
  const entries: AuditEntry[] = [];
  const genesis = toHex(genesisHash(head.tenantId));
  const start = { id: 0, hash: genesis };
  const walk: Walk = {
    tenantId: head.tenantId,
    to: head,
    known: start,
    isFirst: true,
    proven: [],
    findings: [],
    chain: new ChainWalk({ next: Math.max(1, id - 1), previous: id <= 2 ? genesis : undefined }),
    start: undefined,
  };
  await walkChain(walk, {
    audit,
    signal,
    onEntry: (entry) => void entries.push(entry),
    onPage: async () => {},
  });
  const before = [start, walk.start, entries[0]].find((each) => each?.id === id - 1);
  return { previous: before?.hash, entries: entries.filter((entry) => entry.id >= id) };
}
