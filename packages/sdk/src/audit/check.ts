import { LoadError } from '@eaas/protocol/internal';
import {
  callback,
  countFrom,
  flag,
  having,
  list,
  type OptionRules,
  requireKind,
  requireOptions,
  signal,
  text,
} from '@eaas/protocol/internal-options';
import { ChainWalk } from '@eaas/protocol/internal-audit';
import type { VerifiedProof } from '@eaas/protocol/internal-log';
import { ClientError, ServiceError } from '../errors.ts';
import { type AuditHead, openCheckpoint, readVerifierKey, type VerifySignature } from './checkpoint.ts';
import { addFinding, type AuditFinding, type AuditFindingCode } from './findings.ts';
import type { AuditEntry } from './list.ts';
import type { AuditMethods } from './methods.ts';
import { compareProofs, provenHeads, startOf, witnessedBy } from './proven-heads.ts';
import { type AuditState, type AuditStore, initialState, readState } from './state.ts';
import { type Walk, walkChain } from './walk.ts';

/** Gives `checkAudit` access to the audit log of a tenant. An EaasClient is an AuditSource. */
export interface AuditSource {
  readonly audit: Pick<AuditMethods, 'page' | 'verify' | 'checkpoint'> & Partial<Pick<AuditMethods, 'proof'>>;
}

/** Options of `checkAudit`. */
export interface CheckOptions {
  /** Stores the state of the audit between two calls of `checkAudit`. */
  readonly store: AuditStore;
  /**
   * The tenant's verifier key, as the operator gave it to you. Without this option, the first round trusts the verifier
   * key that the service returns.
   */
  readonly verifierKey?: string | undefined;
  /**
   * The text of a trust policy (https://c2sp.org/tlog-policy): the service's public log, the witnesses and how many of
   * them must have signed. With it, each round also fetches the newest proof, verifies it and compares it with the
   * chain. Take the policy from somebody you trust, not from the operator alone.
   */
  readonly policy?: string | undefined;
  /**
   * Proofs that you kept (`audit.proof`, or `witnessed.proof` of an old state), to compare with the chain. Needs
   * `policy`. The round reads again from the oldest of them, so pass them when you want to know, not each time.
   */
  readonly proofs?: readonly string[] | undefined;
  /** If true, the round reads the whole log again, to find entries that were altered after an earlier round. */
  readonly full?: boolean | undefined;
  /**
   * The number of entries after which the state is saved, so that a long first round can resume. Defaults to 10,000.
   */
  readonly saveEvery?: number | undefined;
  /**
   * Called with each entry that a round of `checkAudit` reads, oldest first. After an error or a finding, the next
   * round can read the same entries again.
   */
  readonly onEntry?: ((entry: AuditEntry) => void | Promise<void>) | undefined;
  /**
   * Called after each page of entries that a round reads. `id` is the id of the newest entry that the round has read so
   * far. `through` is the id of the last entry that the round will read.
   */
  readonly onProgress?: ((progress: { readonly id: number; readonly through: number }) => void) | undefined;
  /** A function that verifies Ed25519 signatures, for platforms whose WebCrypto lacks Ed25519. */
  readonly verifySignature?: VerifySignature | undefined;
  readonly signal?: AbortSignal | undefined;
}

const auditRule = having('an object with `page` and `checkpoint`', 'page', 'checkpoint');

const checkOptions: OptionRules<CheckOptions> = {
  store: having('an object with `load` and `save`', 'load', 'save'),
  verifierKey: text,
  policy: text,
  proofs: list,
  full: flag,
  saveEvery: countFrom(1),
  onEntry: callback,
  onProgress: callback,
  verifySignature: callback,
  signal,
};

/** The result of one round of an audit. */
export interface AuditReport {
  /** True if the round found no problem. */
  readonly ok: boolean;
  /** The first 100 findings. */
  readonly findings: readonly AuditFinding[];
  /** The checkpoint of this round. Null if the round could not verify the checkpoint that the service returned. */
  readonly checkpoint: (AuditHead & { readonly note: string }) | null;
  /**
   * The newest head that enough witnesses have seen, and by when. Null without the option `policy`, and if no proof of this
   * round is valid. Its `before` falls behind if witnesses are down, or if the operator withholds proofs.
   */
  readonly proof: VerifiedProof | null;
  /** The number of entries that this round has read. */
  readonly checked: number;
  /** The saved state after this round. Undefined if no state is saved. */
  readonly state: AuditState | undefined;
}

/**
 * Runs one audit round. Reads the entries that were added since the last round, and recomputes their hash chain.
 * Compares the chain with a signed checkpoint and with the saved state of earlier rounds. Returns a report with the
 * problems that the round found. After a problem, the round saves no state, so that the next round reports the problem
 * again. Only the findings `purged_unread`, `proof_missing` and `proof_unwitnessed`, which say nothing against the entries,
 * do not prevent saving. Throws LogProofError for one of `proofs` that is not valid. Throws InputError for an invalid
 * verifier key, state or option. Throws EaasError if a call fails before the first finding.
 * Also throws the errors of the store.
 */
export async function checkAudit(source: AuditSource, options: CheckOptions): Promise<AuditReport> {
  requireOptions(checkOptions, options, 'checkAudit');
  requireKind(checkOptions.store, options.store, '`store`');
  const { audit } = Object(source) as AuditSource;
  requireKind(auditRule, audit, '`audit` of the first argument');
  const { store, full = false, saveEvery = 10_000, onEntry, onProgress, signal } = options;
  const { newest, ...proven } = await provenHeads(audit, options);
  const stored = readState(await store.load());
  let saved = stored;
  const findings: AuditFinding[] = [];
  const { signed, state } = await takeCheckpoint(audit, stored, options, findings);
  const report = (checked: number): AuditReport => {
    const proof = newest ?? null;
    return { ok: findings.length === 0, findings, checkpoint: signed, proof, checked, state: saved };
  };
  if (!signed || findings.length > 0) return report(0);

  const { id, hash, note } = signed;
  const heads = compareProofs(proven, state, signed, findings);
  const from = startOf(state, full, heads);
  const walk: Walk = {
    tenantId: state.tenant_id,
    to: { id, hash },
    known: state.read,
    isFirst: stored === undefined,
    proven: heads,
    findings,
    chain: new ChainWalk({ next: from.id + 1, previous: from.hash }),
    start: undefined,
  };
  const { chain } = walk;
  const save = async (changes: Partial<AuditState>): Promise<void> => {
    const next = { ...state, start: walk.start ?? state.start, ...changes };
    await store.save(next);
    saved = next;
  };
  let savedAt = 0;
  const onPage = async (): Promise<void> => {
    const { next, previous, checked } = chain;
    onProgress?.({ id: next - 1, through: id });
    // A round that reads entries again saves no progress: its `read` would replace the saved `read` by an older entry.
    // After a finding, no round saves progress, so that the next round reports the finding again.
    const isBehind = full || next <= state.read.id;
    if (isBehind || checked - savedAt < saveEvery || findings.length > 0 || previous === undefined) return;
    savedAt = checked;
    await save({ read: { id: next - 1, hash: previous } });
  };
  try {
    await walkChain(walk, {
      audit,
      signal,
      // What an earlier round has shown, and this one reads again for a proof, is not shown again.
      onEntry: (entry) => (full || entry.id > state.read.id ? onEntry?.(entry) : undefined),
      onPage,
    });
  } catch (error) {
    // If a call fails after a finding, the round returns its findings and does not throw the error of the call.
    if (findings.length === 0 || !isCallError(error)) throw error;
    return report(chain.checked);
  }
  const isSound = findings.every(({ code }) => harmless.has(code));
  if (isSound && chain.next <= id + 1) {
    if (chain.next === id + 1 && chain.previous === hash) {
      const at = { id, hash };
      await save({ read: at, verified: at, checkpoint: note, ...witnessedBy(newest, state) });
    } else {
      addFinding(
        findings,
        'checkpoint_mismatch',
        id,
        `the chain of entries does not end in the signed entry ${id}`,
      );
    }
  }
  return report(chain.checked);
}

/** What says nothing against the entries: the state is saved in spite of it. */
const harmless = new Set<AuditFindingCode>(['purged_unread', 'proof_missing', 'proof_unwitnessed']);

async function takeCheckpoint(
  audit: AuditSource['audit'],
  stored: AuditState | undefined,
  { verifierKey, verifySignature, signal }: CheckOptions,
  findings: AuditFinding[],
): Promise<{ signed: AuditReport['checkpoint']; state: AuditState }> {
  const answer = await audit.checkpoint({ signal });
  const pinned = stored?.verifier_key ?? verifierKey ?? answer.verifier_key;
  const others = [
    ['the option `verifierKey` is', verifierKey],
    ['the service signed with', answer.verifier_key],
  ] as const;
  for (const [which, other] of others) {
    if (other === undefined || other === pinned) continue;
    const text = `the pinned verifier key is ${pinned}, but ${which} ${other}`;
    addFinding(findings, 'verifier_key_changed', null, text);
  }
  const { tenantId } = readVerifierKey(pinned);
  const state = stored ?? initialState(tenantId, pinned);
  if (findings.length > 0) return { signed: null, state };
  const { checkpoint: note, id, hash, tenant_id } = answer;
  const head = typeof note === 'string' ? await openCheckpoint(note, pinned, { verifySignature }) : undefined;
  if (head?.id !== id || head.hash !== hash || tenant_id !== tenantId) {
    const text =
      'the pinned verifier key did not sign the checkpoint, or the response differs from the checkpoint';
    addFinding(findings, 'checkpoint_invalid', null, text);
    return { signed: null, state };
  }
  const { read } = state;
  if (id < read.id) {
    addFinding(
      findings,
      'rollback',
      id,
      `the log ends at entry ${id}, but it was read up to entry ${read.id}`,
    );
  } else if (id === read.id && hash !== read.hash) {
    const text = `entry ${id} had the hash ${read.hash} when it was read, but the checkpoint now states ${hash}`;
    addFinding(findings, 'fork', id, text);
  }
  return { signed: { id, hash, note }, state };
}

/** Returns whether an error comes from a call to the service, and not from a function of the app such as `onEntry`. */
const isCallError = (error: unknown): error is ServiceError | ClientError | LoadError =>
  [ServiceError, ClientError, LoadError].some((type) => error instanceof type);
