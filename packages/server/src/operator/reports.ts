// What commands report of all tenants. No MAC is checked.
import type { ApiKeyRow } from '@eaas/service';
import type { Sql } from '../postgres/sql.ts';

interface ExpiringApiKey extends Pick<ApiKeyRow, 'tenant_id' | 'api_key_id' | 'name'> {
  readonly tenant: string | null;
  readonly expires_at: number;
  readonly last_used_at: number | null;
}

/** The API keys that expire between two times, with their last uses. */
export async function expiringApiKeys(sql: Sql, now: number, until: number): Promise<ExpiringApiKey[]> {
  return sql<ExpiringApiKey[]>`
    select tenant_id, t.name as tenant, api_key_id, k.name, k.expires_at, u.last_used_at
    from eaas.api_keys k left join eaas.tenants t using (tenant_id)
      left join eaas.api_key_uses u using (tenant_id, api_key_id)
    where k.revoked_at is null and k.expires_at > ${now} and k.expires_at <= ${until}
    order by k.expires_at, tenant_id, api_key_id`;
}
