// When API keys were last used, to the minute: stored once a minute, and when the server stops.
import type { Service } from '../app/service.ts';

/** Stores the uses since the last call. */
export async function recordLastUses(
  { uses, database }: Pick<Service, 'uses' | 'database'>,
  milliseconds?: number,
): Promise<void> {
  const taken = [...uses];
  uses.clear();
  if (taken.length === 0) return;
  const ids = taken.map(([id]) => id);
  const tenants = taken.map(([, { tenantId }]) => tenantId);
  const times = taken.map(([, { time }]) => time);
  try {
    await database.run(
      (sql) => sql`
        insert into eaas.api_key_uses (tenant_id, api_key_id, last_used_at)
        select use.* from unnest(${tenants}::uuid[], ${ids}::uuid[], ${times}::bigint[])
          as use (tenant_id, api_key_id, last_used_at)
        join eaas.api_keys using (tenant_id, api_key_id)
        on conflict (tenant_id, api_key_id) do update
          set last_used_at = greatest(api_key_uses.last_used_at, excluded.last_used_at)`,
      milliseconds,
    );
  } catch (error) {
    for (const [id, use] of taken) if (!uses.has(id)) uses.set(id, use);
    throw error;
  }
}
