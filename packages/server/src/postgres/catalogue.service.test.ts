import { createDatabase, migrated } from '@eaas/test-kit/database';
import { closing } from '@eaas/test-kit/closing';
import { expect, test } from 'vitest';
import { differences, readCatalogue } from './catalogue.ts';
import { migrate, requireUnchanged } from './migrate.ts';
import { openPool } from './sql.ts';

const place = await createDatabase(migrated);
const superuser = await closing(openPool(place.connection('superuser'), 1), (it) => it.end());

/** What is found after a change, which is undone. */
async function after(statement: string, isNewer = false) {
  await superuser.unsafe(`begin; ${statement}`);
  try {
    return differences(await readCatalogue(superuser), isNewer);
  } finally {
    await superuser.unsafe('rollback');
  }
}

const letThrough = 'returns trigger language plpgsql as $$ begin return new; end $$';

test.each([
  ['drop table eaas.leases', 'table leases'],
  ['alter table eaas.leases set unlogged', 'table leases'],
  ['alter table eaas.leases enable row level security', 'table leases'],
  ['alter table eaas.keys rename min_version to least', 'column keys.min_version'],
  ['alter table eaas.keys alter exportable type text', 'column keys.exportable'],
  ['alter table eaas.keys alter name type text collate "C"', 'column keys.name'],
  ['alter table eaas.keys alter name drop not null', 'column keys.name'],
  ['alter table eaas.log_moments alter witnessed set default true', 'column log_moments.witnessed'],
  ['alter table eaas.keys drop constraint keys_pkey', 'constraint keys.keys_pkey'],
  ['alter table eaas.key_sets drop constraint key_sets_tenant_id_issuer_id_fkey', 'constraint key_sets.'],
  ['drop index eaas.keys_by_name', 'index keys.keys_by_name'],
  ['drop index eaas.keys_by_age; create index keys_by_age on eaas.keys (rev)', 'index keys.keys_by_age'],
  [`update pg_index set indisvalid = false where indexrelid = 'eaas.keys_by_age'::regclass`, 'index keys.'],
  ['drop trigger keys_no_truncate on eaas.keys', 'trigger keys.keys_no_truncate'],
  ['alter table eaas.keys disable trigger keys_no_truncate', 'trigger keys.keys_no_truncate'],
  [
    `create function public.refuse_truncate() ${letThrough}; create or replace trigger keys_no_truncate before truncate on eaas.keys
      execute function public.refuse_truncate(); alter table eaas.keys enable always trigger keys_no_truncate`,
    'trigger keys.keys_no_truncate',
  ],
  [`create or replace function eaas.refuse_change() ${letThrough}`, 'function refuse_change'],
  ['create or replace function eaas.now_ms() returns bigint language sql return 1', 'function now_ms'],
  ['alter function eaas.purge_entries security invoker', 'function purge_entries'],
  ['alter function eaas.purge_entries set search_path = public', 'function purge_entries'],
  ['drop function eaas.append_all', 'function append_all'],
])('a changed schema is noticed: %s', async (statement, name) => {
  // Indexes go with their columns.
  const faults = (await after(statement)).faults.filter((fault) => fault.startsWith(name.slice(0, 5)));
  expect(faults).toEqual([expect.stringMatching(`^${name.replace(' ', ' eaas.')}.* is `)]);
});

/** Makes what has expressions anew from its text, as `pg_restore` does. */
const restored = `do $$ declare made text; begin
  for made in
    select format('drop trigger %I on %s; %s; alter table %2$s enable always trigger %1$I',
      tgname, tgrelid::regclass, pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
    union all select format('drop index %s; %s', indexrelid::regclass, pg_get_indexdef(indexrelid)) from pg_index
      join pg_class on pg_class.oid = indexrelid where relnamespace = 'eaas'::regnamespace and not indisprimary
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'eaas'::regnamespace
  loop execute made; end loop;
end $$`;

test('what was restored from a backup is no fault', async () => {
  expect(await after(restored)).toEqual({ faults: [], others: [] });
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

test.each([
  ['drop index eaas.keys_by_age', 0],
  ['drop trigger keys_no_truncate on eaas.keys', 0],
  ['create or replace function eaas.now_ms() returns bigint language sql return 1', 0],
  ['alter table eaas.keys drop min_version', 1],
  ['drop function eaas.append_all', 1],
])('beside a later step, a server needs its tables, columns and functions: %s', async (change, faults) => {
  expect((await after(change, true)).faults).toHaveLength(faults);
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
