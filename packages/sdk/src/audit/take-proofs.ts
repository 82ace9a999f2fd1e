import { LogProofError, parsePolicy, verifyProof } from '@eaas/protocol/internal-log';
import { ServiceError } from '../errors.ts';
import type { AuditSource, CheckOptions } from './check.ts';
import { verifyEd25519 } from './checkpoint.ts';
import { statedHead } from './entry-proof.ts';
import type { ProvenHeads } from './proven-heads.ts';

/** The time in milliseconds in which enough witnesses must have signed a proof. */
const patience = 600_000;

/** Fetches the newest proof and verifies it, with those that the app kept. */
export async function takeProofs(
  audit: AuditSource['audit'],
  { policy = '', proofs = [], verifySignature = verifyEd25519, signal }: CheckOptions,
): Promise<ProvenHeads> {
  const trusted = parsePolicy(policy);
  const verify = (proof: string) => verifyProof(proof, trusted, verifySignature);
  const kept = await Promise.all(proofs.map(verify));
  const nothing = { newest: undefined, heads: kept, isMissing: false, findings: [] };
  const proof = await audit.proof?.({}, { signal }).then(
    (answer) => answer.proof,
    (error: unknown) => {
      if (error instanceof ServiceError && error.code === 'not_found') return undefined;
      throw error;
    },
  );
  if (proof === undefined) return { ...nothing, isMissing: true };
  try {
    const newest = { ...(await verify(proof)), proof };
    return { ...nothing, newest, heads: [...kept, newest] };
  } catch (error) {
    if (!(error instanceof LogProofError)) throw error;
    const isUnwitnessed = error.code === 'proof_quorum';
    // The witnesses are asked only after the moment is in the log, and one of them can be down for a while.
    if (isUnwitnessed && Math.abs(Date.now() - statedHead(proof).time) < patience) return nothing;
    const code = isUnwitnessed ? 'proof_unwitnessed' : 'proof_invalid';
    return { ...nothing, findings: [{ code, id: null, message: error.message }] };
  }
}
