import { createDatabase, migrated } from '@eaas/test-kit/database';
import { closing } from '@eaas/test-kit/closing';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { expect, test } from 'vitest';
import { compareSchema, readCatalogue } from './catalogue.ts';
import { tenantFunctions } from './functions.ts';
import { migrate, requireUnchanged } from './migrate.ts';
import { openPool } from './sql.ts';
import { steps } from './steps/index.ts';

const embedded = async () => closing(await OwnPostgres.start('embedded', false), (it) => it.drop());

test.each([
  ['the PostgreSQL of these tests', () => createDatabase()],
  ['the PostgreSQL of `eaas dev`', embedded],
])('steps/catalogue.json is what the steps make on %s', async (_, open) => {
  const sql = await closing(openPool((await open()).connection('owner'), 1), (it) => it.end());
  await sql`create schema eaas`;
  for (const step of steps) await sql.unsafe(step);
  await sql.unsafe(tenantFunctions(await readCatalogue(sql)));
  // After a new step, `npx vitest run packages/server/src/postgres/catalogue -u` writes it.
  const text = `${JSON.stringify(await readCatalogue(sql), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('./steps/catalogue.json');
});

const place = await createDatabase(migrated);
const superuser = await closing(openPool(place.connection('superuser'), 1), (it) => it.end());

/** What is found after a change, which is undone. */
async function after(statement: string, isNewer = false) {
  await superuser.unsafe(`begin; ${statement}`);
  const found = await compareSchema(superuser, isNewer).finally(() => superuser.unsafe('rollback'));
  return { ...found, names: found.faults.map((fault) => fault.split(' is ')[0]) };
}

const entries = 'table eaas.audit_entries';
const anyTrigger = 'returns trigger language plpgsql as $$ begin return new; end $$';

test.each([
  ['drop table eaas.leases', 'table leases'],
  ['alter table eaas.leases set unlogged', 'table leases'],
  ['alter table eaas.leases enable row level security', 'table leases'],
  ['alter table eaas.keys rename min_version to least', 'column keys.min_version'],
  ['alter table eaas.keys alter exportable type text', 'column keys.exportable'],
  ['alter table eaas.keys alter name type varchar(99) collate "C"', 'column keys.name'],
  ['alter table eaas.keys alter name drop not null', 'column keys.name'],
  ['alter table eaas.log_moments alter witnessed set default true', 'column log_moments.witnessed'],
  ['alter table eaas.keys drop constraint keys_pkey', 'constraint keys.keys_pkey'],
  [
    'alter table eaas.log_tiles drop constraint log_tiles_origin_fkey',
    'constraint log_tiles.log_tiles_origin_fkey',
  ],
  ['drop index eaas.keys_by_name', 'index keys.keys_by_name'],
  [
    'drop index eaas.keys_by_age; create index keys_by_age on eaas.keys (created_id)',
    'index keys.keys_by_age',
  ],
  [
    "update pg_index set indisvalid = false where indexrelid = 'eaas.keys_by_age'::regclass",
    'index keys.keys_by_age',
  ],
  ['drop trigger keys_no_truncate on eaas.keys', 'trigger keys.keys_no_truncate'],
  [
    `alter ${entries} disable trigger audit_entries_immutable`,
    'trigger audit_entries.audit_entries_immutable',
  ],
  [
    `alter ${entries} enable trigger audit_entries_immutable`,
    'trigger audit_entries.audit_entries_immutable',
  ],
  [
    `create function public.refuse_change() ${anyTrigger}; create or replace trigger audit_entries_immutable
      before update or delete on eaas.audit_entries for each row execute function public.refuse_change();
      alter ${entries} enable always trigger audit_entries_immutable`,
    'trigger audit_entries.audit_entries_immutable',
  ],
  [`create or replace function eaas.refuse_change() ${anyTrigger}`, 'function refuse_change'],
  ['create or replace function eaas.now_ms() returns bigint language sql return 1', 'function now_ms'],
  ['alter function eaas.purge_entries security invoker', 'function purge_entries'],
  ['alter function eaas.purge_entries set search_path = public', 'function purge_entries'],
  ['drop function eaas.append_all', 'function append_all'],
])('a changed schema is noticed: %s', async (statement, name) => {
  const { names } = await after(statement);
  expect(names).toContain(name.replace(' ', ' eaas.'));
  expect(names.filter((one) => !/^index/.test(one ?? '')).length).toBeLessThan(2);
});

test.each([
  ['create index mine on eaas.audit_entries (created_at)', ['index eaas.audit_entries.mine']],
  ['create view eaas.mine as select from eaas.keys', ['view eaas.mine']],
  ['alter table eaas.keys add note text', ['column eaas.keys.note']],
  ['create function eaas.mine() returns int language sql return 1', ['function eaas.mine']],
  ['alter index eaas.keys_by_age set (fillfactor = 50)', []],
  ['alter table eaas.keys set (autovacuum_enabled = off)', []],
  ['alter function eaas.append set plan_cache_mode = force_custom_plan', []],
  ['set local search_path = eaas, public', []],
])('what an operator adds or tunes is no fault: %s', async (statement, others) => {
  expect(await after(statement)).toMatchObject({ faults: [], others });
});

test('a server of this program starts beside what a later step changed, but not if what it needs is gone', async () => {
  for (const change of [
    'drop index eaas.keys_by_age',
    'drop trigger keys_no_truncate on eaas.keys',
    'alter table eaas.keys alter interval_days type bigint',
    'create or replace function eaas.now_ms() returns bigint language sql return 1',
  ])
    expect((await after(change, true)).faults).toEqual([]);
  expect((await after('alter table eaas.keys drop min_version', true)).faults).toHaveLength(1);
  expect((await after('drop function eaas.append_all', true)).faults).toHaveLength(1);
});

test('`migrate` makes the functions of its step anew, never those of a later one, and nothing else', async () => {
  const { connection } = await createDatabase(migrated);
  const owner = await closing(openPool(connection('owner'), 1), (it) => it.end());
  await owner`drop function eaas.append_all`;
  await expect(requireUnchanged(owner)).rejects.toThrow('function eaas.append_all is missing.');
  expect(await migrate(owner, null)).toBe(0);
  expect(await requireUnchanged(owner)).toEqual([]);
  await owner`drop index eaas.keys_by_name`;
  await expect(migrate(owner, null)).rejects.toThrow('index eaas.keys.keys_by_name is missing.');
  await owner`insert into eaas.steps values (2)`;
  expect(await migrate(owner, null)).toBe(0);
  await owner`drop function eaas.append_all`;
  await expect(migrate(owner, null)).rejects.toThrow('function eaas.append_all is missing.');
});
