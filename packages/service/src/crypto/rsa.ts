// Encrypts exported secrets to the key of whoever exports them. Both platforms use WebCrypto, which works beside the main
// thread.
import { toBase64 } from '@eaas/protocol/base64';

const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };

/** Encrypts to an RSA public key with RSA-OAEP and SHA-256. Returns base64. */
export async function encryptRsa(
  { n, e }: { readonly n: string; readonly e: string },
  secret: Uint8Array,
): Promise<string> {
  const { subtle } = crypto;
  const key = await subtle.importKey('jwk', { kty: 'RSA', n, e }, algorithm, false, ['encrypt']);
  const plaintext = new Uint8Array(secret);
  const encrypting = subtle.encrypt(algorithm, key, plaintext);
  return toBase64(new Uint8Array(await encrypting.finally(() => plaintext.fill(0))));
}
