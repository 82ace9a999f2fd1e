import { verify } from 'node:crypto';
import type { VerifyEd25519 } from '@eaas/protocol/internal-log';

/** What a public key in the form SPKI has before its 32 bytes (RFC 8410). */
const spki = Buffer.from('302a300506032b6570032100', 'hex');

export const verifyEd25519: VerifyEd25519 = (publicKey, signature, message) =>
  verify(null, message, { key: Buffer.concat([spki, publicKey]), format: 'der', type: 'spki' }, signature);
