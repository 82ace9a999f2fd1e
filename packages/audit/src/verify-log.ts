// The check of a log, wherever its entries come from. It reads nothing itself, but what it is given.
import { InputError } from '@eaas/protocol';
import {
  callback,
  list,
  object,
  type OptionRules,
  positiveInteger,
  requireKind,
  requireOptions,
  type Rule,
  text,
} from '@eaas/protocol/internal';
import type { KnownFacts, VerifiedProof } from '@eaas/protocol/internal-log';
import { aVerifierKey, openCheckpoint } from './checkpoint.ts';
import type { AuditEntry, AuditHead } from './entry.ts';
import { addFinding, areHarmless, type AuditFinding } from './findings.ts';
import { type AuditState, initialState, readState } from './state.ts';
import { type KnownHead, newWalk, type Purged, type Walk, walkChain } from './walk.ts';

/** Where a check is, for `onProgress`. */
export interface VerifyLogProgress {
  /** The id of the last entry that was read. */
  readonly id: number;
  /** The id of the last entry that will be read. Null without a checkpoint. */
  readonly through: number | null;
  /** What the next check can go on from, if this one does not end. Null after a finding. */
  readonly state: AuditState | null;
}

/** Options of `verifyLog`. */
export interface VerifyLogOptions {
  /**
   * The newest checkpoint: the chain must end in its entry, and later entries are not read. Without one you learn only that
   * the entries are consistent, not that they are the original ones.
   */
  readonly checkpoint?: string | undefined;
  /** The tenant's verifier key, as the operator gave it to you. It is needed with the first `checkpoint`. */
  readonly verifierKey?: string | undefined;
  /** Older checkpoints that you kept: the chain must have their entries too. */
  readonly earlier?: readonly string[] | undefined;
  /** Proofs of the public log, as `verifyProof` returned them: the chain must have their heads. */
  readonly proofs?: readonly VerifiedProof[] | undefined;
  /** The `state` of the report before: then pass the entries from `state.read.id` on. Null before the first check. */
  readonly state?: unknown;
  /**
   * The id of the entry with which the entries must begin at the latest. Defaults to 1, or with `state` to that of `read`.
   * The hash of a later first entry is not verified.
   */
  readonly from?: number | undefined;
  /** Asks the service what it has purged, if entries are missing: `() => client.audit.verify({ from_id })` with the newest id. */
  readonly purged?: (() => Promise<Purged>) | undefined;
  /** Called with each entry that no earlier check has read, oldest first. */
  readonly onEntry?: ((entry: AuditEntry) => void | Promise<void>) | undefined;
  /** Called after every 1,000 entries. */
  readonly onProgress?: ((progress: VerifyLogProgress) => void | Promise<void>) | undefined;
}

/** The rules of the options that `verifyLog` and `checkAudit` share. */
export const sharedRules = {
  verifierKey: aVerifierKey,
  state: ((value) => value === null || object(value, '')) as Rule,
  onEntry: callback,
  onProgress: callback,
};

const verifyRules: OptionRules<VerifyLogOptions> = {
  ...sharedRules,
  checkpoint: text,
  earlier: list,
  proofs: list,
  from: positiveInteger,
  purged: callback,
};

const entriesRule: Rule = (value) =>
  [Symbol.asyncIterator, Symbol.iterator].some((name) => name in Object(value)) ||
  'an iterable or async iterable of audit entries';

/** The result of a check. */
export interface AuditReport {
  /** True if the check found no problem. */
  readonly ok: boolean;
  /** The first 100 findings. */
  readonly findings: readonly AuditFinding[];
  /** The checkpoint with which the log was compared. Null without one, and if the pinned key did not sign it. */
  readonly checkpoint: (AuditHead & { readonly note: string }) | null;
  /** The number of entries whose hash was recomputed. */
  readonly checked: number;
  /**
   * Each entry was compared with all that the log has said from this entry on: 1, unless the check began later or after a
   * purge, without a `state` that knows what was said, or the log has revoked, erased and closed more than a state keeps.
   */
  readonly comparedSince: number;
  /**
   * What the next check goes on from. After a finding it is the state that was passed, so that the next check reports the
   * problem again; only `purged_unread`, `proof_missing` and `proof_unwitnessed` say nothing against the entries. Null if
   * there is none.
   */
  readonly state: AuditState | null;
}

const pageSize = 1_000;

/**
 * Verifies an audit log without trusting whoever keeps it: recomputes the chain of hashes, and compares it with a signed
 * checkpoint, and with what earlier checks, kept checkpoints and proofs of the public log say. `entries` come oldest
 * first, from anywhere: `client.audit.list({}, { from: 1 })`, an exported file, an array. Returns a report with
 * what was found. Throws InputError for an invalid option, key or state, and for a value that is no entry; also the errors
 * of `entries` before the first finding, and those of the functions that you pass.
 *
 * @example
 * ```ts
 * import { verifyLog } from '@eaas/audit';
 *
 * const { checkpoint } = await eaas.audit.checkpoint();
 * const entries = eaas.audit.list({}, { order: 'oldest' }); // or an array, or the lines of a file
 * const verifierKey = process.env.VERIFIER_KEY!; // noted at the start: a service that lies signs with another key
 * const { ok, findings } = await verifyLog(entries, { checkpoint, verifierKey });
 * console.log(ok, findings); // true []
 * ```
 */
export async function verifyLog(
  entries: AsyncIterable<AuditEntry> | Iterable<AuditEntry>,
  options: VerifyLogOptions = {},
): Promise<AuditReport> {
  requireKind(entriesRule, entries, 'the first argument of `verifyLog`');
  requireOptions(verifyRules, options, 'verifyLog');
  const { checkpoint: note, verifierKey = '', proofs = [], onEntry, onProgress } = options;
  const given = readState(options.state);
  const findings: AuditFinding[] = [];
  const stated = await openCheckpoints(options, given, findings);
  const [to] = stated;
  const base = given ?? (to ? initialState(to.tenantId, verifierKey) : null);
  const known = given?.read.id ?? 0;
  const { from = Math.max(1, known) } = options;
  const walk = newWalk({
    tenantId: base?.tenant_id,
    from,
    to,
    read: given ? { ...given.read, said: given.said } : undefined,
    heads: [...stated, ...knownHeads(given, proofs)],
    purged: options.purged,
    findings,
  });
  const report = (checked: number, state = given): AuditReport => {
    const checkpoint = to && note !== undefined ? { id: to.id, hash: to.hash, note } : null;
    const comparedSince = walk.history.since;
    return { ok: findings.length === 0, findings, checkpoint, checked, comparedSince, state };
  };
  if (findings.length > 0) return report(0);

  const stateAt = (read: AuditHead, changes: Partial<AuditState> = {}): AuditState | null =>
    base && { ...base, start: walk.start ?? base.start, read, said: saidIn(walk), ...changes };
  let count = 0;
  await walkChain(walk, entries, async (entry, at) => {
    const { id } = at;
    if (id > known) await onEntry?.(entry as AuditEntry);
    if (++count % pageSize > 0) return;
    const state = findings.length > 0 ? null : id > known ? stateAt(at) : given;
    await onProgress?.({ id, through: to?.id ?? null, state });
  });
  for (const { tenantId } of proofs) {
    if (tenantId !== walk.tenantId) {
      addFinding(findings, 'proof_invalid', null, `a proof is of the tenant ${tenantId}`);
    }
  }
  const { chain, begun, checked, hasFailed } = walk;
  const early = [...stated, ...proofs].find(({ id }) => id > 0 && id < begun);
  if (early && findings.length === 0) {
    throw new InputError(
      `a checkpoint or proof is of entry ${early.id}, and was not compared: pass the entries from that one on (got ${begun})`,
    );
  }
  if (!to || !chain || hasFailed || !areHarmless(findings) || chain.next > to.id + 1) return report(checked);
  if (chain.previous === to.hash) {
    return report(checked, stateAt({ id: to.id, hash: to.hash }, { checkpoint: note ?? null }));
  }
  const text = `the chain of entries does not end in the signed entry ${to.id}`;
  addFinding(findings, 'checkpoint_mismatch', to.id, text);
  return report(checked);
}

const saidIn = ({ history: { since, facts } }: Walk): KnownFacts => ({ since, facts });

/** Opens the newest checkpoint and those that were kept, in this order. What the pinned key did not sign is a finding. */
async function openCheckpoints(
  { checkpoint, earlier = [], verifierKey }: VerifyLogOptions,
  state: AuditState | null,
  findings: AuditFinding[],
): Promise<KnownHead[]> {
  const pinned = state?.verifier_key ?? verifierKey;
  if (checkpoint === undefined && (pinned !== undefined || earlier.length > 0)) {
    throw new InputError('`state`, `earlier` and `verifierKey` need `checkpoint`, the newest one');
  }
  if (checkpoint === undefined) return [];
  if (pinned === undefined) {
    throw new InputError('`checkpoint` needs `verifierKey`, the key that the operator gave you');
  }
  if (verifierKey !== undefined && verifierKey !== pinned) {
    const text = `the pinned verifier key is ${pinned}, but the option \`verifierKey\` is ${verifierKey}`;
    addFinding(findings, 'verifier_key_changed', null, text);
    return [];
  }
  const heads: KnownHead[] = [];
  for (const each of [checkpoint, ...earlier]) {
    const head = await openCheckpoint(each, pinned);
    if (head) heads.push({ ...head, of: 'checkpoint', tenantId: head.tenant_id });
    else {
      addFinding(findings, 'checkpoint_invalid', null, 'the pinned verifier key did not sign the checkpoint');
    }
  }
  return findings.length > 0 ? [] : heads;
}

/** Returns the heads that an earlier check and the public log know. */
function knownHeads(state: AuditState | null, proofs: readonly VerifiedProof[]): KnownHead[] {
  const proven = proofs.map((proof): KnownHead => ({ ...proof, of: 'proof' }));
  if (!state) return proven;
  const { tenant_id: tenantId, read, witnessed } = state;
  if (witnessed) proven.push({ ...witnessed, of: 'proof', tenantId });
  return [{ ...read, of: 'state', tenantId }, ...proven];
}
