// Exports a key for the RSA public key that somebody pastes.
import type { Input } from '@eaas/protocol/wire';
import { type EaasClient, type ExportedKey, InputError, ServiceError } from '@eaas/sdk';

/** Returns the export with all people, or without people for an API key that is limited to some keys. */
export async function exportKey(
  { keys }: Pick<EaasClient, 'keys'>,
  key_id: string,
  pem: string,
): Promise<ExportedKey> {
  const public_key = await readRsaPublicKey(pem);
  if (!public_key) {
    throw new InputError('expected an RSA public key in PEM: make it with the openssl commands on this page');
  }
  return keys.export(key_id, { public_key, subjects: true }).catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.code === 'permission_missing')) throw error;
    return keys.export(key_id, { public_key });
  });
}

const parameters = { name: 'RSA-OAEP', hash: 'SHA-256' };

type RsaPublicKey = Input<'POST /v1/keys/:key_id/export'>['public_key'];

async function readRsaPublicKey(text: string): Promise<RsaPublicKey | undefined> {
  const [, body = ''] = /^-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----$/.exec(text.trim()) ?? [];
  try {
    const bytes = Uint8Array.from(atob(body.replace(/\s/g, '')), (letter) => letter.charCodeAt(0));
    const key = await crypto.subtle.importKey('spki', bytes, parameters, true, ['encrypt']);
    const { n = '', e = '' } = await crypto.subtle.exportKey('jwk', key);
    return { kty: 'RSA', n, e };
  } catch {
    return undefined;
  }
}
