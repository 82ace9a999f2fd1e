import { first, type Table } from './rows.ts';
import type { Sql } from './sql.ts';

/** The keys of a sign-in as they were last fetched. The replicas share them. */
export interface KeySetRow {
  readonly tenant_id: string;
  readonly issuer_id: string;
  /** Where they were fetched: those of another URI say nothing. */
  readonly jwks_uri: string;
  /** The public keys as canonical JSON. */
  readonly jwks: string;
  /** When the fetch began. */
  readonly fetched_at: number;
  readonly mac: Uint8Array;
}

export const keySetTable: Table<KeySetRow> = {
  name: 'key_sets',
  id: 'issuer_id',
  label: ['eaas row v1', 'key_sets'],
  columns: ['tenant_id', 'issuer_id', 'jwks_uri', 'jwks', 'fetched_at'],
  numbers: ['fetched_at'],
};

export function findKeySet(sql: Sql, tenantId: string, issuerId: string): Promise<KeySetRow | undefined> {
  return first(sql<KeySetRow[]>`
    select * from eaas.key_sets where tenant_id = ${tenantId} and issuer_id = ${issuerId}`);
}

export async function putKeySet(sql: Sql, row: KeySetRow): Promise<void> {
  const { tenant_id, issuer_id, jwks_uri, jwks, fetched_at, mac } = row;
  await sql`
    insert into eaas.key_sets (tenant_id, issuer_id, jwks_uri, jwks, fetched_at, mac)
    values (${tenant_id}, ${issuer_id}, ${jwks_uri}, ${jwks}, ${fetched_at}, ${mac})
    on conflict (tenant_id, issuer_id) do update set jwks_uri = excluded.jwks_uri, jwks = excluded.jwks,
      fetched_at = excluded.fetched_at, mac = excluded.mac`;
}

/** The key sets of these issuers of a tenant. */
export async function keySetsOf(sql: Sql, tenantId: string, issuerIds: readonly string[]) {
  return sql<KeySetRow[]>`
    select * from eaas.key_sets where tenant_id = ${tenantId} and issuer_id = any (${[...issuerIds]}::uuid[])`;
}
