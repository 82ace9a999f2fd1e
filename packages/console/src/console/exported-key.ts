import type { Output, Input } from '@eaas/protocol/wire';
import { type EaasClient, InputError } from '@eaas/sdk';

type Exported = Output<'POST /v1/keys/:key_id/export'>;

export async function exportKey(
  { keys }: Pick<EaasClient, 'keys'>,
  key_id: string,
  pem: string,
): Promise<Omit<Exported, 'next_version'>> {
  const public_key = await readRsaPublicKey(pem);
  if (!public_key)
    throw new InputError('expected an RSA public key in PEM: make it with the openssl commands on this page');
  const versions: Exported['versions'] = [];
  for (let from_version = 1; ;) {
    const { next_version, ...key } = await keys.export({ key_id, public_key, from_version });
    versions.push(...key.versions);
    if (next_version === null) return { ...key, versions };
    from_version = next_version;
  }
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
