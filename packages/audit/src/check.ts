// One round of an audit with a client: it asks the service for what `verifyLog` compares.
import { InputError } from '@eaas/protocol';
import { flag, list, type OptionRules, requireOptions, signal, text } from '@eaas/protocol/internal';
import { LogProofError, parsePolicy, type VerifiedProof } from '@eaas/protocol/internal-log';
import { statedHead } from './entry-proof.ts';
import { addFinding, type AuditFinding, areHarmless } from './findings.ts';
import { type Abortable, type AuditSource, callsOf, findProof } from './source.ts';
import { type AuditState, readState } from './state.ts';
import { type AuditReport, sharedRules, verifyLog, type VerifyLogOptions } from './verify-log.ts';
import { verifyProof } from './verify-proof.ts';

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
  const audit = callsOf(source);
  const { policy, proofs: texts = [], full = false, signal, verifierKey, ...shared } = options;
  const state = readState(options.state);
  if (policy === undefined && texts.length > 0) {
    throw new InputError('`proofs` needs the option `policy`, to verify them');
  }
  if (policy !== undefined) parsePolicy(policy);
  const kept = await Promise.all(texts.map((each) => verifyProof(each, policy ?? '')));
  const latest: AuditFinding[] = [];
  const newest = policy === undefined ? undefined : await takeLatestProof(audit, policy, signal, latest);
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
  const own = latest.filter(({ code }) => code !== 'proof_missing' || hasGrown);
  return {
    ...report,
    ok: report.ok && own.length === 0,
    findings: [...own, ...report.findings],
    state: areHarmless(own) && report.state !== state ? withWitness(report.state, newest) : state,
    proof: newest ?? null,
  };
}

/** Returns the state with the newest head that witnesses have seen, unless it has a newer one. */
function withWitness(state: AuditState | null, newest: ProofWithText | undefined): AuditState | null {
  if (!state || !newest || newest.id < (state.witnessed?.id ?? 0)) return state;
  const { id, hash, before, proof } = newest;
  return { ...state, witnessed: { id, hash, before: before.toISOString(), proof } };
}

type ProofWithText = VerifiedProof & { readonly proof: string };

/** The time in milliseconds in which enough witnesses must have signed a proof. */
const patience = 600_000;

/** Fetches the newest proof of the service and verifies it. Returns it if it is valid, and adds what was found. */
async function takeLatestProof(
  audit: AuditSource['audit'],
  policy: string,
  signal: AbortSignal | undefined,
  findings: AuditFinding[],
): Promise<ProofWithText | undefined> {
  const proof = await findProof(audit, {}, { signal });
  const message = 'the service has no proof any more, but it had one before';
  if (proof === undefined) return addFinding(findings, 'proof_missing', null, message);
  try {
    return { ...(await verifyProof(proof, policy)), proof };
  } catch (error) {
    if (!(error instanceof LogProofError)) throw error;
    const isUnwitnessed = error.code === 'proof_quorum';
    // The witnesses are asked only after the moment is in the log, and one of them can be down for a while.
    if (isUnwitnessed && Math.abs(Date.now() - statedHead(proof).time) < patience) return undefined;
    return addFinding(findings, isUnwitnessed ? 'proof_unwitnessed' : 'proof_invalid', null, error.message);
  }
}
