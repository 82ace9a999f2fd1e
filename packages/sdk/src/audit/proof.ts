import { callback, requireKind, requireOptions, type Rule, text } from '@eaas/protocol/internal-options';
import { parsePolicy, type VerifiedProof, verifyProof as verify } from '@eaas/protocol/internal-log';
import { verifyEd25519, type VerifySignature } from './checkpoint.ts';
import { type EntryProof, requireChain, type VerifiedEntry } from './entry-proof.ts';

export { LogProofError, type LogProofErrorCode, type VerifiedProof } from '@eaas/protocol/internal-log';
export type { VerifySignature } from './checkpoint.ts';
export type { EntryProof, VerifiedEntry } from './entry-proof.ts';
export type { AuditEntry } from './list.ts';

const proofRule: Rule = (value) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null) || 'a text or an object';

/** Options of `verifyProof`. */
export interface VerifyProofOptions {
  /** A function that verifies Ed25519 signatures, for platforms whose WebCrypto lacks Ed25519. */
  readonly verifySignature?: VerifySignature | undefined;
}

/**
 * Verifies a proof offline: what `proveEntry` returned, which shows that an entry existed by a time, or the text that
 * `audit.proof` returned, which shows it for a head of the log. `policy` is the text of a trust policy
 * (https://c2sp.org/tlog-policy) that lists the log, the witnesses and how many of them must have signed. Take it from
 * somebody you trust, not from the operator alone. Throws LogProofError with the reason for a proof that is not valid,
 * and InputError for a policy that is not valid or demands no witness.
 */
export async function verifyProof(
  proof: EntryProof,
  policy: string,
  options?: VerifyProofOptions,
): Promise<VerifiedEntry>;
export async function verifyProof(
  proof: string,
  policy: string,
  options?: VerifyProofOptions,
): Promise<VerifiedProof>;
export async function verifyProof(
  proof: string | EntryProof,
  policy: string,
  options: VerifyProofOptions = {},
): Promise<VerifiedProof> {
  requireKind(proofRule, proof, 'the proof');
  requireKind(text, policy, 'the policy');
  requireOptions({ verifySignature: callback }, options, 'verifyProof');
  const { verifySignature = verifyEd25519 } = options;
  const statement = typeof proof === 'string' ? proof : proof.proof;
  const head = await verify(statement, parsePolicy(policy), verifySignature);
  return typeof proof === 'string' ? head : requireChain(proof, head);
}
