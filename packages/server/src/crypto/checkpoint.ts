import { createPrivateKey, createPublicKey, hash as digest, type KeyObject, sign, verify } from 'node:crypto';
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

export type { ChainHead } from '@eaas/protocol/internal-audit';

// The bytes that precede the seed in the PKCS #8 encoding of an Ed25519 key (RFC 8410).
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

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
  const { privateKey, ...verifier } = signerOf(seed, tenantId);
  return openWith(verifier, createPublicKey(privateKey), checkpoint);
}

export function openSignedCheckpoint(
  verifierKey: string,
  checkpoint: string,
): (ChainHead & { readonly tenantId: string }) | undefined {
  const verifier = parseVerifierKey(verifierKey);
  if (!verifier || keyIdOf(verifier) !== verifier.keyId) return undefined;
  const { tenantId, publicKey } = verifier;
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const head = openWith(verifier, key, checkpoint);
  return head && { tenantId, ...head };
}

function openWith(verifier: Verifier, key: KeyObject, checkpoint: string): ChainHead | undefined {
  const found = parseCheckpoint(checkpoint, verifier);
  if (!found || !verify(null, found.signed, key, found.signature)) return undefined;
  return { id: found.id, hash: found.hash };
}

function keyIdOf({ tenantId, publicKey }: Pick<Verifier, 'tenantId' | 'publicKey'>): string {
  return digest('sha256', keyIdInput(tenantId, publicKey)).slice(0, 8);
}

function signerOf(seed: KeyObject, tenantId: string) {
  const der = using(seed.export(), (secret) => Buffer.concat([pkcs8, secret]));
  const privateKey = using(der, () => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const publicKey = new Uint8Array(spki.subarray(-32));
  const keyId = keyIdOf({ tenantId, publicKey });
  return { tenantId, keyId, publicKey, privateKey };
}
