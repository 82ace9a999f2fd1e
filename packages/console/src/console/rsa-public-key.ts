import type { Input } from '@eaas/protocol/wire';

const parameters = { name: 'RSA-OAEP', hash: 'SHA-256' };

type RsaPublicKey = Input<'POST /v1/keys/:key_id/export'>['public_key'];

export async function readRsaPublicKey(text: string): Promise<RsaPublicKey | undefined> {
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
