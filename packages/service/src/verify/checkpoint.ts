// Checkpoints: statements of the head of a log, signed with the tenant's key. A tenant keeps them outside the service, and
// verify shows that the log still extends them.
import { signEd25519, verifyEd25519 } from '#platform';
import { toUtf8 } from '@eaas/protocol';
import {
  type ChainHead,
  checkpointText,
  formatCheckpoint,
  formatNoteKey,
  parseCheckpoint,
  parseVerifierKey,
  tenantVerifier,
  type Verifier,
} from '@eaas/protocol/internal-log';
import type { Secret } from '../crypto/secret.ts';

/** Signs a head with the key of a seed. */
export async function signCheckpoint(seed: Secret, tenantId: string, head: ChainHead) {
  const text = checkpointText(tenantId, head);
  const { publicKey, signature } = await signEd25519(seed, toUtf8(text));
  const verifier = tenantVerifier(tenantId, new Uint8Array(publicKey));
  return {
    checkpoint: formatCheckpoint(verifier, text, new Uint8Array(signature)),
    verifier_key: formatNoteKey(verifier),
  };
}

/** Returns the head that a checkpoint states, or undefined if the key of the seed has not signed it. */
export async function openCheckpoint(seed: Secret, tenantId: string, checkpoint: string) {
  const { publicKey } = await signEd25519(seed, new Uint8Array());
  return statedIn(checkpoint, tenantVerifier(tenantId, new Uint8Array(publicKey)));
}

/** Returns the head that a checkpoint states, or undefined if the verifier key, as formatted text, does not fit. */
export async function openSignedCheckpoint(verifierKey: string, checkpoint: string) {
  const verifier = parseVerifierKey(verifierKey);
  return verifier && statedIn(checkpoint, verifier);
}

async function statedIn(checkpoint: string, verifier: Verifier) {
  const stated = parseCheckpoint(checkpoint, verifier);
  const isSigned = stated && (await verifyEd25519(verifier.publicKey, stated.signature, stated.signed));
  return isSigned ? { tenantId: verifier.tenantId, id: stated.id, hash: stated.hash } : undefined;
}
