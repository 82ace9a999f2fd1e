import type { Sql } from './sql.ts';

const week = 7 * 24 * 60 * 60 * 1_000;

/** Counts the API keys that expire within a week and were used in the last week. */
export async function measure(sql: Sql, now: number) {
  const [size] = await sql<{ bytes: number }[]>`select pg_database_size(current_database()) as bytes`;
  const [expiring] = await sql<{ count: number; next: number | null }[]>`
    select count(*) as count, min(expires_at) as next
    from eaas.api_keys join eaas.api_key_uses using (tenant_id, api_key_id)
    where revoked_at is null and expires_at > ${now} and expires_at <= ${now + week}
      and last_used_at > ${now - week}`;
  return {
    databaseBytes: size?.bytes ?? 0,
    expiring: expiring?.count ?? 0,
    nextExpiry: expiring?.next ?? null,
  };
}

export interface ExpiringApiKey {
  readonly tenant_id: string;
  readonly tenant: string | null;
  readonly api_key_id: string;
  readonly name: string;
  readonly expires_at: number;
  readonly last_used_at: number | null;
}

export async function expiringApiKeys(sql: Sql, now: number, until: number): Promise<ExpiringApiKey[]> {
  return sql<ExpiringApiKey[]>`
    select tenant_id, t.name as tenant, api_key_id, k.name, k.expires_at, u.last_used_at
    from eaas.api_keys k left join eaas.tenants t using (tenant_id)
      left join eaas.api_key_uses u using (tenant_id, api_key_id)
    where k.revoked_at is null and k.expires_at > ${now} and k.expires_at <= ${until}
    order by k.expires_at, tenant_id, api_key_id`;
}
