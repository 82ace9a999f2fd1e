import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { type IntakeCrypto, intakeKeyInfo, type IntakePrivateKey } from '@eaas/protocol/internal-intake';
import { intakePrivateKey } from '@eaas/protocol/internal-intake';
import { nodeEngine } from '@eaas/protocol/node';
import { using } from '@eaas/protocol/service';
import { hmac } from './hmac.ts';

const pkcs8Start = Buffer.from('302e020100300506032b656e04220420', 'hex');
const spkiStart = Buffer.from('302a300506032b656e032100', 'hex');

/**
 * X25519 comes from OpenSSL, because OpenSSL's multiplication is constant-time. ML-KEM comes from
 * `@noble/post-quantum`.
 */
export const intakeCrypto: IntakeCrypto = {
  engine: nodeEngine,
  shake256: (message, length) => createHash('shake256', { outputLength: length }).update(message).digest(),
  sha3: (message) => createHash('sha3-256').update(message).digest(),
  hmac,
  x25519(scalar, point) {
    const der = Buffer.concat([pkcs8Start, scalar]);
    const privateKey = using(der, () => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    if (!point) return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
    const key = Buffer.concat([spkiStart, point]);
    return diffieHellman({ privateKey, publicKey: createPublicKey({ key, format: 'der', type: 'spki' }) });
  },
};

/** The caller must call the method `wipe` of the returned key. */
export function openIntakeKey(
  version: KeyObject,
  tenantId: string,
  place: { readonly keyId: string; readonly keyVersion: number },
): IntakePrivateKey {
  const seed = new Uint8Array(hkdfSync('sha256', version, '', intakeKeyInfo(tenantId, place), 32));
  return using(seed, () => intakePrivateKey(intakeCrypto, seed));
}
