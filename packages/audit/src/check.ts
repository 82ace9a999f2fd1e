// One round of an audit with a client: it asks the service for what `verifyLog` compares.
import { InputError } from '@eaas/protocol';
import { ServiceError, flag, having, list, type OptionRules, requireKind } from '@eaas/protocol/internal';
import { requireOptions, signal, text } from '@eaas/protocol/internal';
import { LogProofError, parsePolicy, type VerifiedProof } from '@eaas/protocol/internal-log';
import type { Output } from '@eaas/protocol/wire';
import type { AuditEntry } from './entry.ts';
import { statedHead } from './entry-proof.ts';
import { type AuditFinding, areHarmless } from './findings.ts';
import { type AuditState, readState } from './state.ts';
import { type AuditReport, sharedRules, verifyLog, type VerifyLogOptions } from './verify-log.ts';
import { verifyProof } from './verify-proof.ts';
import type { Purged } from './walk.ts';

/** The option that ends a call. */
export interface Abortable {
  /** Ends the call with the error of the client. */
  readonly signal?: AbortSignal | undefined;
}

/** What a round asks the service. An EaasClient is an AuditSource. */
export interface AuditSource {
  readonly audit: {
    /** Yields the entries from one on, oldest first. */
    list(filter: object, options: Abortable & { readonly from: number }): AsyncIterable<AuditEntry>;
    /** Returns a checkpoint of the newest entry. */
    checkpoint(options: Abortable): Promise<Output<'GET /v1/audit/checkpoint'>>;
    /** Returns which entries were purged. */
    verify(range: { readonly from_id: number }, options: Abortable): Promise<Purged>;
    /** Returns the newest proof of the public log, or the first of a head at or after an entry. */
    proof?(query: { readonly id?: number }, options: Abortable): Promise<Output<'GET /v1/audit/proof'>>;
  };
}

type Shared = Pick<VerifyLogOptions, keyof typeof sharedRules>;

/** Options of `checkAudit`. */
export interface CheckOptions extends Shared, Abortable {
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
}

const checkRules: OptionRules<CheckOptions> = {
  ...sharedRules,
  policy: text,
  proofs: list,
  full: flag,
  signal,
};
const auditRule = having('an object with `list`, `checkpoint` and `verify`', 'list', 'checkpoint', 'verify');
const proofRule = having('an object with `proof`, if you pass `policy`', 'proof');

/** The result of a round. */
export interface CheckReport extends AuditReport {
  /**
   * The newest head that enough witnesses have seen, and by when. Null without the option `policy`, and if no proof of this
   * round is valid. Its `before` falls behind if witnesses are down, or if the operator withholds proofs.
   */
  readonly proof: VerifiedProof | null;
}

/**
 * Runs one round of an audit: reads the entries that were added since the round before, and verifies them with
 * `verifyLog` against a fresh checkpoint and the newest proof of the public log. Without `verifierKey`, the first round
 * trusts the key that the service signs with. Throws as `verifyLog` does, EaasError if a call fails before the first
 * finding, and LogProofError for one of `proofs` that is not valid.
 *
 * @example
 * ```ts
 * import { checkAudit } from '@eaas/audit';
 *
 * const { ok, findings, state } = await checkAudit(eaas, { state: await load() });
 * await store(state); // the next round goes on from here
 * console.log(ok, findings); // true []
 * ```
 */
export async function checkAudit(source: AuditSource, options: CheckOptions = {}): Promise<CheckReport> {
  requireOptions(checkRules, options, 'checkAudit');
  const { audit } = Object(source) as AuditSource;
  requireKind(auditRule, audit, '`audit` of the first argument');
  const { policy, proofs: texts = [], full = false, signal, verifierKey, ...shared } = options;
  const state = readState(options.state);
  if (policy === undefined && texts.length > 0)
    throw new InputError('`proofs` needs the option `policy`, to verify them');
  if (policy !== undefined) {
    requireKind(proofRule, audit, '`audit` of the first argument');
    parsePolicy(policy);
  }
  const kept = await Promise.all(texts.map((each) => verifyProof(each, policy ?? '')));
  const latest = policy === undefined ? undefined : await takeLatestProof(audit, policy, signal);
  const newest = latest?.newest;
  const seen = state?.witnessed;
  const proofs = [...kept, ...(newest ? [newest] : [])].filter(
    ({ id, hash }) => id !== seen?.id || hash !== seen.hash,
  );

  const { id, checkpoint, verifier_key } = await audit.checkpoint({ signal });
  const pinned = state?.verifier_key ?? verifierKey ?? verifier_key;
  if (verifier_key !== pinned) {
    const message = `the pinned verifier key is ${pinned}, but the service signed with ${verifier_key}`;
    const finding: AuditFinding = { code: 'verifier_key_changed', id: null, message };
    const nothing = { checkpoint: null, checked: 0, comparedSince: 1, proof: newest ?? null };
    return { ok: false, findings: [finding], ...nothing, state };
  }
  // Proofs that no round has compared yet can be of entries that were read before.
  const first = Math.min(state?.read.id ?? 1, ...proofs.map((proof) => proof.id - 1));
  const from = full ? 1 : Math.max(1, first);
  const report = await verifyLog(audit.list({}, { from, signal }), {
    ...shared,
    checkpoint,
    verifierKey: verifierKey ?? pinned,
    proofs,
    from,
    purged: () => audit.verify({ from_id: Math.max(1, id) }, { signal }),
  });
  // As long as the log has not grown, the proof of before shows all of it.
  const hasGrown = seen && report.checkpoint && seen.id !== report.checkpoint.id;
  const own = (latest?.findings ?? []).filter(({ code }) => code !== 'proof_missing' || hasGrown);
  return {
    ...report,
    ok: report.ok && own.length === 0,
    findings: [...own, ...report.findings],
    state: areHarmless(own) && report.state !== state ? withWitness(report.state, newest) : state,
    proof: newest ?? null,
  };
}

/** Returns the state with the newest head that witnesses have seen, unless it has a newer one. */
function withWitness(state: AuditState | null, newest: LatestProof['newest']): AuditState | null {
  if (!state || !newest || newest.id < (state.witnessed?.id ?? 0)) return state;
  const { id, hash, before, proof } = newest;
  return { ...state, witnessed: { id, hash, before: before.toISOString(), proof } };
}

/** The newest proof of the service. */
interface LatestProof {
  /** The proof, if it is valid. */
  readonly newest: (VerifiedProof & { readonly proof: string }) | undefined;
  readonly findings: readonly AuditFinding[];
}

/** The time in milliseconds in which enough witnesses must have signed a proof. */
const patience = 600_000;

/** Fetches the newest proof and verifies it. */
async function takeLatestProof(
  audit: AuditSource['audit'],
  policy: string,
  signal: AbortSignal | undefined,
): Promise<LatestProof> {
  const proof = await audit.proof?.({}, { signal }).then(
    (answer) => answer.proof,
    (error: unknown) => {
      if (error instanceof ServiceError && error.code === 'not_found') return undefined;
      throw error;
    },
  );
  const none = (findings: readonly AuditFinding[]): LatestProof => ({ newest: undefined, findings });
  const message = 'the service has no proof any more, but it had one before';
  if (proof === undefined) return none([{ code: 'proof_missing', id: null, message }]);
  try {
    return { newest: { ...(await verifyProof(proof, policy)), proof }, findings: [] };
  } catch (error) {
    if (!(error instanceof LogProofError)) throw error;
    const isUnwitnessed = error.code === 'proof_quorum';
    // The witnesses are asked only after the moment is in the log, and one of them can be down for a while.
    if (isUnwitnessed && Math.abs(Date.now() - statedHead(proof).time) < patience) return none([]);
    const code = isUnwitnessed ? 'proof_unwitnessed' : 'proof_invalid';
    return none([{ code, id: null, message: error.message }]);
  }
}
