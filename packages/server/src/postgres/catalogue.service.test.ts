import { createDatabase, migrated } from '@eaas/test-kit/database';
import { closing } from '@eaas/test-kit/closing';
import { expect, test } from 'vitest';
import { differences, expected, readCatalogue } from './catalogue.ts';
import { migrate, requireUnchanged } from './migrate.ts';
import { openPool } from './sql.ts';

const place = await createDatabase(migrated);
const superuser = await closing(openPool(place.connection('superuser'), 1), (it) => it.end());

/** What is found after a change, which is undone. */
async function after(statement: string, isUnknown = false, allow: readonly string[] = []) {
  await superuser.unsafe(`begin; ${statement}`);
  try {
    return differences(await readCatalogue(superuser), { expected, isUnknown, allow });
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
  expect(await after(restored)).toEqual({ faults: [], others: [], allowed: [] });
});

test.each([
  ['create index mine on eaas.audit_entries (created_at)', ['index eaas.audit_entries.mine']],
  ['create view eaas.mine as select from eaas.keys', ['view eaas.mine']],
  ['alter table eaas.keys add note text', ['column eaas.keys.note']],
  ['create table eaas.mine (id int)', ['column eaas.mine.id', 'table eaas.mine']],
  ['alter index eaas.keys_by_age set (fillfactor = 50)', []],
  ['alter table eaas.keys set (autovacuum_enabled = off)', []],
  ['alter function eaas.append set plan_cache_mode = force_custom_plan', []],
  ['set local search_path = eaas, public', []],
])('what an operator adds or tunes is no fault: %s', async (statement, others) => {
  expect(await after(statement)).toMatchObject({ faults: [], others });
});

const trigger = (name: string, table: string, when: string): string =>
  `create or replace function public.let_through() ${letThrough};
    create trigger ${name} ${when} on ${table} for each row execute function public.let_through()`;

/** What a superuser adds to undo what our statements write, and the statement that takes it away. */
const intruders: readonly (readonly [statement: string, name: string, ownName: string, removal: string])[] = [
  [
    trigger('keep', 'eaas.audit_heads', 'before update'),
    'trigger eaas.audit_heads.keep',
    'keep',
    'drop trigger "keep" on eaas.audit_heads',
  ],
  [
    trigger('"Un Do"', 'eaas.tallies', 'after insert'),
    'trigger eaas.tallies.Un Do',
    'Un Do',
    'drop trigger "Un Do" on eaas.tallies',
  ],
  [
    'create rule forget as on insert to eaas.audit_entries do instead nothing',
    'rule eaas.audit_entries.forget',
    'forget',
    'drop rule "forget" on eaas.audit_entries',
  ],
  [
    'create rule copy as on insert to eaas.keys do also notify keys',
    'rule eaas.keys.copy',
    'copy',
    'drop rule "copy" on eaas.keys',
  ],
  [
    'create schema elsewhere; create table elsewhere.more_keys () inherits (eaas.keys)',
    'child eaas.keys.elsewhere.more_keys',
    'elsewhere.more_keys',
    'alter table elsewhere.more_keys no inherit eaas.keys',
  ],
  [
    'create function eaas.append(integer, text) returns int language sql return 1',
    'function eaas.append',
    'append',
    'drop function eaas."append"(integer, text)',
  ],
];

test.each(intruders)(
  'what runs beside our statements is a fault: %s',
  async (statement, name, _, removal) => {
    const { faults } = await after(statement);
    expect(faults).toEqual([`${name} is not of Eaas (\`${removal}\` takes it away)`]);
    expect(await after(`${statement}; ${removal}`)).toMatchObject({ faults: [] });
  },
);

test.each(intruders)('EAAS_SCHEMA_ALLOW admits by its name: %s', async (statement, name, ownName) => {
  expect(await after(statement, false, [ownName])).toMatchObject({ faults: [], allowed: [name] });
  expect((await after(statement, false, ['another'])).faults).toHaveLength(1);
});

test('a name cannot move the cursor of who reads the fault', async () => {
  const { faults } = await after(trigger('"\u001b[2K"', 'eaas.keys', 'before insert'));
  expect(faults.join()).not.toContain('\u001b');
});

test('a trigger on a table of the operator is no fault', async () => {
  const statement = `create table eaas.mine (id int); ${trigger('keep', 'eaas.mine', 'before update')}`;
  expect(await after(statement)).toMatchObject({ faults: [], allowed: [] });
});

test('names that EAAS_SCHEMA_ALLOW has admit nothing that is missing or different', async () => {
  const names = ['keys_no_truncate', 'refuse_change', 'keys'];
  for (const statement of [
    'drop trigger keys_no_truncate on eaas.keys',
    `create or replace function eaas.refuse_change() ${letThrough}`,
  ]) {
    expect((await after(statement, false, names)).faults).toHaveLength(1);
  }
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
  expect(await requireUnchanged(owner)).toEqual({ others: [], allowed: [], isUnknown: false });
  await owner`drop index eaas.keys_by_name`;
  await expect(migrate(owner, null)).rejects.toThrow('index eaas.keys.keys_by_name is missing.');
  await owner`insert into eaas.steps values (2)`;
  expect(await migrate(owner, null)).toBe(0);
  await owner`drop function eaas.append_all`;
  await expect(migrate(owner, null)).rejects.toThrow('function eaas.append_all is missing.');
});
