// Tenants that have a head and nothing else, straight in the database, with the MACs that the service would write.
import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import {
  newTenant,
  openTenantSecrets,
  type Roots,
  macHead,
  type SealedTenantSecret,
  type TenantRow,
} from '@eaas/service';

const pageSize = 1_000;

function headOf(roots: Roots, row: SealedTenantSecret, id: number) {
  const { tenant_id } = row;
  const others = { sum: Buffer.alloc(32), nonce: Buffer.alloc(16), created_at: 0, month: '', encrypts: 0 };
  return { ...macHead(openTenantSecrets(roots, row), { tenant_id, id, hash: randomBytes(32), ...others }) };
}

/** Adds `count` tenants, which is a multiple of 1,000. */
export async function addHeads(sql: postgres.Sql, roots: Roots, count: number): Promise<void> {
  for (let made = 0; made < count; made += pageSize) {
    const made = Array.from({ length: pageSize }, () => newTenant(roots, { name: 'tenant' }, 0));
    const tenants = made.flatMap(({ writes }) => writes.map(({ row }) => row as TenantRow));
    await sql`insert into eaas.tenants ${sql(tenants.map((row) => ({ ...row })))}`;
    await sql`insert into eaas.audit_heads ${sql(tenants.map((row) => headOf(roots, row, 1)))}`;
  }
}

/** Moves about one head of 256. */
export async function moveHeads(sql: postgres.Sql, roots: Roots): Promise<void> {
  const rows = await sql<SealedTenantSecret[]>`
    select tenant_id, root_id, sealed_secret from eaas.tenants join eaas.audit_heads using (tenant_id)
    where get_byte(hash, 0) = 0`;
  for (const row of rows) {
    await sql`update eaas.audit_heads set ${sql(headOf(roots, row, 2))} where tenant_id = ${row.tenant_id}`;
  }
}
