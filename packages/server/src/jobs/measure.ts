// What the metrics say about the whole database: its size, and the API keys that expire soon. `serve` runs it as a job.
import type { Sql } from '../postgres/sql.ts';

const week = 7 * 24 * 60 * 60 * 1_000;

/** Measures the database, and counts the API keys that expire within a week and were used in the last week. */
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
