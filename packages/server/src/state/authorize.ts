import { authorize as authorizeApiKey } from '@eaas/protocol/service';
import type { Caller } from '../base/caller.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import type { TenantRow } from '../store/tenants.ts';

export function isExpired({ expires_at }: ApiKeyRow, time: number): boolean {
  return expires_at !== null && expires_at <= time;
}

export function authorize(
  { tenant }: { readonly tenant: TenantRow },
  apiKey: ApiKeyRow,
  { credential }: Caller,
  time: number,
): void {
  if (credential) authorizeApiKey(apiKey, credential, { envelopeOnly: tenant.envelope_only, time });
}
