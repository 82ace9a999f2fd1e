// Checkpoints: statements of the head of a log, signed with the tenant's key. A tenant keeps them outside the service, and
// verify shows that the log still extends them.
import { signEd25519, verifyEd25519 } from '#platform';
import { toUtf8 } from '@eaas/protocol';
import {
  type ChainHead,
  checkpointText,
  formatNoteKey,
  formatSignature,
  openTenantCheckpoint,
  tenantVerifier,
} from '@eaas/protocol/internal-log';
import type { Secret } from '../crypto/secret.ts';

/** Signs a head with the key of a seed. */
export async function signCheckpoint(seed: Secret, tenantId: string, head: ChainHead) {
  const text = checkpointText(tenantId, head);
  const { publicKey, signature } = await signEd25519(seed, toUtf8(text));
  const verifier = tenantVerifier(tenantId, new Uint8Array(publicKey));
  const signed = formatSignature({ ...verifier, bytes: new Uint8Array(signature) });
  return { checkpoint: `${text}\n${signed}`, verifier_key: formatNoteKey(verifier) };
}

/** Returns the head that a checkpoint states, or undefined if the key of the seed has not signed it. */
export async function openCheckpoint(seed: Secret, tenantId: string, checkpoint: string) {
  const { publicKey } = await signEd25519(seed, new Uint8Array());
  const verifier = tenantVerifier(tenantId, new Uint8Array(publicKey));
  return openTenantCheckpoint(checkpoint, verifier, verifyEd25519);
}
