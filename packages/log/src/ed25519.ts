// Ed25519 keys as 32 bytes, which node:crypto takes only in their DER forms (RFC 8410).
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { pkcs8Of, using } from '@eaas/protocol/internal';

/** Returns the keys of a seed of 32 bytes, which stays the caller's to wipe. */
export function ed25519Keys(seed: Uint8Array) {
  const privateKey = using(pkcs8Of('ed25519', seed), ({ buffer }) =>
    createPrivateKey({ key: Buffer.from(buffer), format: 'der', type: 'pkcs8' }),
  );
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey: new Uint8Array(der.subarray(-32)) };
}
