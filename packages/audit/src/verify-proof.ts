// What anyone can check offline, with a trust policy alone: a proof of an entry, or of a head of the log.
import { requireKind, type Rule, text } from '@eaas/protocol/internal';
import { parsePolicy, type VerifiedProof, verifyProof as verifyHead } from '@eaas/protocol/internal-log';
import { verifyEd25519 } from './checkpoint.ts';
import type { AuditEntry } from './entry.ts';
import { type EntryProof, requireChain } from './entry-proof.ts';

/** What a valid proof of an entry shows. `id` and `hash` are those of the head, which has the entry in its chain. */
export interface VerifiedEntry extends VerifiedProof {
  /** The entry, whose content is proven. */
  readonly entry: AuditEntry;
}

const proofRule: Rule = (value) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null) || 'a text or an object';

/**
 * Verifies a proof offline: what `proveEntry` returned, which shows that an entry existed by a time, or the text that
 * `audit.proof` of the client returned, which shows it for a head of the log. `policy` is the text of a trust policy
 * (https://c2sp.org/tlog-policy) that lists the log, the witnesses and how many of them must have signed. Take it from
 * somebody you trust, not from the operator alone. Throws LogProofError with the reason for a proof that is not valid,
 * and InputError for a policy that is not valid or demands no witness.
 *
 * @example
 * ```ts
 * import { verifyProof } from '@eaas/audit';
 *
 * const { proof } = await eaas.audit.proof();
 * const { id, before } = await verifyProof(proof, policy);
 * console.log(before <= new Date(Date.now() + 60_000)); // true
 * ```
 */
export async function verifyProof<Proof extends string | EntryProof>(
  proof: Proof,
  policy: string,
): Promise<[Proof] extends [EntryProof] ? VerifiedEntry : VerifiedProof> {
  requireKind(proofRule, proof, 'the proof');
  requireKind(text, policy, 'the policy');
  const given: string | EntryProof = proof;
  const statement = typeof given === 'string' ? given : given.proof;
  const head = await verifyHead(statement, parsePolicy(policy), verifyEd25519);
  const shown = typeof given === 'string' ? head : { ...head, entry: requireChain(given, head) };
  return shown as Awaited<ReturnType<typeof verifyProof<Proof>>>;
}
