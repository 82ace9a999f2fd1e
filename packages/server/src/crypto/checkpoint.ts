import { hash as digest, type KeyObject, sign } from 'node:crypto';
import { using } from '@eaas/protocol/service';
import {
  type ChainHead,
  checkpointText,
  formatCheckpoint,
  formatVerifierKey,
  keyIdInput,
  parseCheckpoint,
  parseVerifierKey,
  type Verifier,
} from '@eaas/protocol/internal-audit';
import { ed25519Keys, verifyEd25519 } from './ed25519.ts';

export type { ChainHead } from '@eaas/protocol/internal-audit';

export function signCheckpoint(seed: KeyObject, tenantId: string, id: number, hash: Uint8Array) {
  const { privateKey, ...verifier } = signerOf(seed, tenantId);
  const text = checkpointText(tenantId, { id, hash });
  const signature = sign(null, Buffer.from(text), privateKey);
  return {
    checkpoint: formatCheckpoint(verifier, text, signature),
    verifierKey: formatVerifierKey(verifier),
  };
}

export function openCheckpoint(seed: KeyObject, tenantId: string, checkpoint: string): ChainHead | undefined {
  return openWith(signerOf(seed, tenantId), checkpoint);
}

export function openSignedCheckpoint(
  verifierKey: string,
  checkpoint: string,
): (ChainHead & { readonly tenantId: string }) | undefined {
  const verifier = parseVerifierKey(verifierKey);
  if (!verifier || keyIdOf(verifier) !== verifier.keyId) return undefined;
  const head = openWith(verifier, checkpoint);
  return head && { tenantId: verifier.tenantId, ...head };
}

function openWith(verifier: Verifier, checkpoint: string): ChainHead | undefined {
  const found = parseCheckpoint(checkpoint, verifier);
  if (!found || !verifyEd25519(verifier.publicKey, found.signature, found.signed)) return undefined;
  return { id: found.id, hash: found.hash };
}

function keyIdOf({ tenantId, publicKey }: Pick<Verifier, 'tenantId' | 'publicKey'>): string {
  return digest('sha256', keyIdInput(tenantId, publicKey)).slice(0, 8);
}

function signerOf(seed: KeyObject, tenantId: string) {
  const { privateKey, publicKey } = using(seed.export(), ed25519Keys);
  const keyId = keyIdOf({ tenantId, publicKey });
  return { tenantId, keyId, publicKey, privateKey };
}
