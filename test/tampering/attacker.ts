import postgres from 'postgres';
import type { TestDatabase } from '../setup/database.ts';

/** All that a service keeps in its database; the list of migrations is the owner's. */
export const tables = [
  'root_checks',
  'tenants',
  'audit_heads',
  'audit_entries',
  'audit_anchors',
  'keys',
  'key_versions',
  'api_keys',
  'verifications',
  'usage_cursors',
  'usage',
  'key_version_uses',
  'api_key_uses',
] as const;

export type Table = (typeof tables)[number];

/** The administrator of the database: a superuser for whom neither triggers nor foreign keys count. */
export interface Attacker {
  readonly sql: postgres.Sql;
  /** Keeps a copy of everything under a name. */
  keep(name: string): Promise<void>;
  /** Brings all tables to a copy. */
  restore(name: string): Promise<void>;
  /** Puts the rows of a table that a condition names back to those of a copy: replaced, inserted or removed. */
  putBack(name: string, table: Table, condition: string): Promise<void>;
  close(): Promise<void>;
}

export async function openAttacker(database: TestDatabase): Promise<Attacker> {
  const sql = postgres({
    ...database.connection('superuser'),
    max: 1,
    onnotice: () => {},
    connection: { session_replication_role: 'replica' },
  });
  // Those that are always enabled do not mind the replication role.
  for (const table of tables) await sql.unsafe(`alter table eaas.${table} disable trigger all`);
  return {
    sql,
    async keep(name) {
      await sql.unsafe(`create schema ${name}`);
      await sql.unsafe(
        tables.map((table) => `create table ${name}.${table} as table eaas.${table};`).join('\n'),
      );
    },
    async restore(name) {
      await sql.unsafe(
        tables
          .map((table) => `delete from eaas.${table}; insert into eaas.${table} table ${name}.${table};`)
          .join('\n'),
      );
    },
    async putBack(name, table, condition) {
      await sql.unsafe(
        `delete from eaas.${table} where ${condition};
         insert into eaas.${table} select * from ${name}.${table} where ${condition};`,
      );
    },
    close: () => sql.end(),
  };
}

/** Takes every constraint away, so that any value can stand in any column. */
export async function unbind({ sql }: Attacker): Promise<void> {
  await sql`do $$
    declare one record;
    begin
      for one in select conrelid::regclass as place, conname from pg_constraint
        where connamespace = 'eaas'::regnamespace and contype <> 'n' order by contype = 'f' desc
      loop
        execute format('alter table %s drop constraint if exists %I cascade', one.place, one.conname);
      end loop;
      for one in select indexrelid::regclass as place from pg_index
        where indisunique and indrelid in (select oid from pg_class where relnamespace = 'eaas'::regnamespace)
      loop
        execute format('drop index %s', one.place);
      end loop;
      for one in select attrelid::regclass as place, attname from pg_attribute join pg_class on attrelid = pg_class.oid
        where relnamespace = 'eaas'::regnamespace and relkind = 'r' and attnum > 0 and attnotnull
      loop
        execute format('alter table %s alter %I drop not null', one.place, one.attname);
      end loop;
    end $$`;
}
