// Tenants that have a head and nothing else, straight in the database, with the MACs that the service would write.
import { randomBytes, randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import {
  newTenantSecret,
  type Roots,
  rowKeyOf,
  type SealedTenantSecret,
} from '../../packages/server/src/crypto/key-hierarchy.ts';
import { seal } from '../../packages/server/src/state/integrity.ts';
import { headTable } from '../../packages/server/src/store/heads.ts';

const pageSize = 1_000;

function headOf(roots: Roots, row: SealedTenantSecret, id: number) {
  const rowMac = rowKeyOf(roots, row);
  if (!rowMac) throw new Error('the secret of the tenant must open (it does not)');
  const { tenant_id } = row;
  const start = { state_id: 0, state_hash: Buffer.alloc(0), created_at: 0, month: '', encrypts: 0 };
  return { ...seal({ rowMac }, headTable, { tenant_id, id, hash: randomBytes(32), ...start }) };
}

/** Adds `count` tenants, which is a multiple of 1,000. */
export async function addHeads(sql: postgres.Sql, roots: Roots, count: number): Promise<void> {
  const others = { name: '', envelope_only: false, created_at: 0, rev: 0, mac: Buffer.alloc(0) };
  for (let made = 0; made < count; made += pageSize) {
    const tenants = Array.from({ length: pageSize }, () => newTenantSecret(roots[0], randomUUID()));
    await sql`insert into eaas.tenants ${sql(tenants.map((row) => ({ ...row, ...others })))}`;
    await sql`insert into eaas.audit_heads ${sql(tenants.map((row) => headOf(roots, row, 1)))}`;
  }
}

/** Moves about one head of 256. */
export async function moveHeads(sql: postgres.Sql, roots: Roots): Promise<void> {
  const rows = await sql<SealedTenantSecret[]>`
    select tenant_id, root_id, sealed_secret from eaas.tenants join eaas.audit_heads using (tenant_id)
    where get_byte(hash, 0) = 0`;
  for (const row of rows)
    await sql`update eaas.audit_heads set ${sql(headOf(roots, row, 2))} where tenant_id = ${row.tenant_id}`;
}
