import { InputError } from '@eaas/protocol';

/** Whether an Ed25519 signature (RFC 8032) of a message is by a public key of 32 bytes. */
export type VerifySignature = (
  publicKey: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
) => boolean | Promise<boolean>;

/** By the platform's WebCrypto. Throws InputError where that has no Ed25519. */
export const verifyEd25519: VerifySignature = async (publicKey, signature, message) => {
  const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']).catch(() => {
    throw new InputError('this platform cannot verify Ed25519: give `verifySignature`, from a library');
  });
  return crypto.subtle.verify('Ed25519', key, signature, message);
};
