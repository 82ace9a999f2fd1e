import { callback, requireKind, requireOptions, text } from '@eaas/protocol/internal-options';
import { parsePolicy, type VerifiedProof, verifyProof as verify } from '@eaas/protocol/internal-log';
import { verifyEd25519, type VerifySignature } from './checkpoint.ts';

export { LogProofError, type LogProofErrorCode, type VerifiedProof } from '@eaas/protocol/internal-log';
export type { VerifySignature } from './checkpoint.ts';

/**
 * Verifies offline what `GET /v1/audit/proof` returned: that witnesses saw a log with this head of a tenant. `policy` is
 * the text of a trust policy (https://c2sp.org/tlog-policy) that lists the log, the witnesses and how many of them must
 * have signed. Take it from somebody you trust, not from the operator alone. Throws LogProofError with the reason for a
 * proof that is not valid, and InputError for a policy that is not valid or demands no witness.
 */
export async function verifyProof(
  proof: string,
  policy: string,
  options: { readonly verifySignature?: VerifySignature | undefined } = {},
): Promise<VerifiedProof> {
  requireKind(text, proof, 'the proof');
  requireKind(text, policy, 'the policy');
  requireOptions({ verifySignature: callback }, options, 'verifyProof');
  return verify(proof, parsePolicy(policy), options.verifySignature ?? verifyEd25519);
}
