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
  if (!public_key) throw new InputError('the text is not an RSA public key in PEM: see how to make one');
  const versions: Exported['versions'] = [];
  let from_version: number | null = 1;
  let [tenant_id, hash_key] = ['', ''];
  while (from_version !== null) {
    const page: Exported = await keys.export({ key_id, public_key, from_version });
    versions.push(...page.versions);
    ({ tenant_id, hash_key, next_version: from_version } = page);
  }
  return { tenant_id, key_id, versions, hash_key };
}
