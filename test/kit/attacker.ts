import postgres from 'postgres';
import type { World } from './world.ts';

export const tables = [
  'root_checks',
  'tenants',
  'audit_heads',
  'audit_entries',
  'audit_anchors',
  'audit_blocks',
  'keys',
  'key_versions',
  'api_keys',
  'issuers',
  'key_sets',
  'subjects',
  'verifications',
  'tallies',
  'api_key_uses',
  'row_records',
  'leases',
  'row_counts',
  'log_keys',
  'log_tiles',
  'log_moments',
  'log_proofs',
] as const;

export type Table = (typeof tables)[number];

export type Attacker = Awaited<ReturnType<typeof openAttacker>>;

export async function openAttacker({ database, onClose }: Pick<World, 'database' | 'onClose'>) {
  const sql = postgres({
    ...database.connection('superuser'),
    max: 1,
    onnotice: () => {},
    // Citus disables the triggers of distributed tables only if `citus.enable_unsafe_triggers` is on.
    connection: { session_replication_role: 'replica', 'citus.enable_unsafe_triggers': 'on' },
  });
  onClose(() => sql.end());
  // Disables the triggers of each table, because triggers that are "enable always" fire in spite of
  // `session_replication_role`.
  for (const table of tables) await sql.unsafe(`alter table eaas.${table} disable trigger all`);
  return {
    sql,
    async keep(name: string) {
      await sql.unsafe(`create schema ${name}`);
      await sql.unsafe(
        tables.map((table) => `create table ${name}.${table} as table eaas.${table};`).join('\n'),
      );
    },
    async restore(name: string) {
      await sql.unsafe(
        tables
          .map((table) => `delete from eaas.${table}; insert into eaas.${table} table ${name}.${table};`)
          .join('\n'),
      );
    },
    async putBack(name: string, table: Table, condition: string) {
      await sql.unsafe(
        `delete from eaas.${table} where ${condition};
         insert into eaas.${table} select * from ${name}.${table} where ${condition};`,
      );
    },
  };
}
