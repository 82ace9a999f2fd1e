import type { Output } from '@eaas/protocol/wire';
import { type EaasClient, InputError } from '@eaas/sdk';
import { readRsaPublicKey } from './rsa-public-key.ts';

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
