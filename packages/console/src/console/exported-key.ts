import type { Output } from '@eaas/protocol/wire';
import { type EaasClient, InputError } from '@eaas/sdk';
import { readRsaPublicKey } from './rsa-public-key.ts';

type Exported = Output<'POST /v1/keys/:key_id/export'>;

async function tenantIdOf(audit: EaasClient['audit']): Promise<string | undefined> {
  const page = await audit.page({ limit: 1 }).catch(() => undefined);
  return page?.logs[0]?.tenant_id;
}

export async function exportKey(
  { keys, audit }: Pick<EaasClient, 'keys' | 'audit'>,
  key_id: string,
  pem: string,
): Promise<Omit<Exported, 'next_version'> & { readonly tenant_id?: string | undefined }> {
  const public_key = await readRsaPublicKey(pem);
  if (!public_key)
    throw new InputError('expected an RSA public key in PEM: make it with the openssl commands on this page');
  const versions: Exported['versions'] = [];
  let from_version: number | null = 1;
  let hash_key = '';
  while (from_version !== null) {
    const page: Exported = await keys.export({ key_id, public_key, from_version });
    versions.push(...page.versions);
    ({ hash_key, next_version: from_version } = page);
  }
  return { tenant_id: await tenantIdOf(audit), key_id, versions, hash_key };
}
