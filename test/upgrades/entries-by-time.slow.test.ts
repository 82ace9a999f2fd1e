import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { rootKey } from '../../packages/server/src/crypto/key-hierarchy.ts';
import { ROLES } from '../../packages/dev/src/cluster.ts';
import { createService } from '../../packages/server/src/app/service.ts';
import { Database } from '../../packages/server/src/store/database.ts';
import { migrate } from '../../packages/server/src/store/migrate.ts';
import { tenantFirst } from '../../packages/server/src/store/migrations/0003-tenant-first.ts';
import { append } from '../../packages/server/src/store/migrations/0004-append.ts';
import { runs } from '../../packages/server/src/store/migrations/0005-runs.ts';
import { verifiedNights } from '../../packages/server/src/store/migrations/0006-verified-nights.ts';
import { intake } from '../../packages/server/src/store/migrations/0007-intake.ts';
import { openPool, type Pool } from '../../packages/server/src/store/sql.ts';
import { eaas, run } from '../conformance/program.ts';
import { createDatabase, environmentOf, type TestDatabase } from '../setup/database.ts';
import { apiOf, dek } from '../setup/world.ts';
import { before } from './before-tenant-first.ts';

let place: TestDatabase;
let owner: Pool;
let database: Database;

const key_id = before.ann.busy;
const roots = [rootKey(Buffer.from(before.rootKey, 'base64'))] as const;
const replica = () => createService({ database, roots });
const anns = () => apiOf(replica(), before.ann.token);
const wrap = () => anns()('POST /v1/keys/:key_id/wrap', { key_id, dek });
const verified = () => anns()('GET /v1/audit/verify', { checkpoint: before.checkpoint });

beforeEach(async () => {
  place = await createDatabase();
  owner = openPool(place.connection('owner'), 1);
  await owner.unsafe(await readFile(new URL('before-tenant-first.sql', import.meta.url), 'utf8'));
  for (const migration of [tenantFirst, append, runs, verifiedNights, intake]) await owner.unsafe(migration);
  await owner`insert into eaas.migrations (version) values (3), (4), (5), (6), (7)`;
  // Connects as the owner of the tables, because the role of the servers has no rights before the last migration.
  database = new Database(place.connection('owner'), 6);
});
afterEach(async () => {
  await Promise.all([owner.end(), database.close()]);
  await place.drop();
});

async function indexes(): Promise<Record<string, boolean>> {
  const rows = await owner<{ name: string; valid: boolean }[]>`
    select relname as name, indisvalid as valid from pg_index join pg_class on oid = indexrelid
    where indrelid = 'eaas.audit_entries'::regclass`;
  return Object.fromEntries(rows.map(({ name, valid }) => [name, valid]));
}

async function appliedVersions(): Promise<number[]> {
  const rows = await owner<{ version: number }[]>`
    select version from eaas.migrations where version > 7 order by version`;
  return rows.map(({ version }) => version);
}

const upgraded = {
  audit_entries_pkey: true,
  audit_entries_by_key_and_time: true,
  audit_entries_by_action_and_time: true,
};

async function withSuperuser<T>(work: (sql: Pool) => Promise<T>): Promise<T> {
  const sql = openPool(place.connection('superuser'), 1);
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

test('a replica appends while the migration waits for the transaction of another replica', async () => {
  const isWaiting = (): Promise<boolean> =>
    database.run(
      async (sql) =>
        (await sql`select from pg_stat_progress_create_index where phase like 'waiting for writers%'`).count >
        0,
    );
  await withSuperuser(async (other) => {
    let migrating: Promise<number> | undefined;
    await other.begin(async (tx) => {
      await tx`lock table eaas.audit_entries in row exclusive mode`;
      migrating = migrate(owner, ROLES.server);
      while (!(await isWaiting())) await sleep(10);
      await wrap();
      expect(await isWaiting()).toBe(true);
    });
    expect(await migrating).toBe((await appliedVersions()).length);
  });
  await wrap();
  expect(await indexes()).toEqual(upgraded);
  expect(await verified()).toMatchObject({ valid: true, errors: [] });
});

test('a replica appends while the migration waits for a session that reads the tables, such as a backup', async () => {
  let waits = 0;
  await withSuperuser(async (other) => {
    let migrating: Promise<number> | undefined;
    await other.begin(async (tx) => {
      await tx`lock table eaas.audit_heads in access share mode`;
      migrating = migrate(owner, ROLES.server, { onWait: () => waits++ });
      await expect.poll(() => waits, { timeout: 30_000 }).toBeGreaterThan(0);
      await expect.poll(() => wrap().then(() => waits), { timeout: 30_000 }).toBeGreaterThan(2);
    });
    expect(await migrating).toBe((await appliedVersions()).length);
  });
  expect(await verified()).toMatchObject({ valid: true, errors: [] });
});

test('a migration continues after an interruption that left an invalid index', async () => {
  await owner`create index audit_entries_by_key_and_time on eaas.audit_entries (tenant_id)`;
  await withSuperuser(
    (sql) =>
      sql`update pg_index set indisvalid = false where indexrelid = 'eaas.audit_entries_by_key_and_time'::regclass`,
  );
  expect(await migrate(owner, ROLES.server)).toBe((await appliedVersions()).length);
  expect(await indexes()).toEqual(upgraded);
  const [row] = await owner<{ definition: string }[]>`
    select pg_get_indexdef('eaas.audit_entries_by_key_and_time'::regclass) as definition`;
  expect(row?.definition).toContain('(tenant_id, key_id, created_at)');
});

test('two commands `eaas migrate` that start together both succeed', async () => {
  await owner`insert into eaas.audit_entries
    select tenant_id, nth, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac
    from (select * from eaas.audit_entries where key_id is not null limit 1) entry, generate_series(1001, 50000) nth`;
  const env = environmentOf(place.url);
  const commands = await Promise.all([1, 2].map(() => run([...eaas, 'migrate', '--json'], env)));
  expect(commands.map(({ code, stderr }) => ({ code, stderr: code === 0 ? '' : stderr }))).toEqual([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ]);
  const applied = commands.map(({ stdout }) => (JSON.parse(stdout) as { applied: number }).applied);
  expect(applied.toSorted((a, b) => a - b)).toEqual([0, (await appliedVersions()).length]);
  expect(await indexes()).toEqual(upgraded);
  expect(await appliedVersions()).toContain(8);
});

test('a migration repeats a statement that PostgreSQL ended because of a deadlock', async () => {
  const isDropping = (): Promise<boolean> =>
    database.run(
      async (sql) =>
        (
          await sql`select from pg_stat_activity where datname = current_database()
            and query like 'drop index concurrently%' and wait_event_type = 'Lock'`
        ).count > 0,
    );
  await withSuperuser(async (other) => {
    // PostgreSQL looks for a deadlock once, `deadlock_timeout` after a session begins to wait. The long timeout makes
    // sure that both sessions wait by then.
    await other`alter database ${other(place.name)} set deadlock_timeout = '3s'`;
    const patient = openPool(place.connection('owner'), 1);
    onTestFinished(() => patient.end());
    let migrating: Promise<number> | undefined;
    await other.begin(async (tx) => {
      // The migration must lose the deadlock. PostgreSQL ends the statement of the session with the shorter
      // `deadlock_timeout`, so this session gets a long one.
      await tx`set local deadlock_timeout = '1min'`;
      await tx`lock table eaas.audit_entries in access share mode`;
      migrating = migrate(patient, ROLES.server);
      while (!(await isDropping())) await sleep(10);
      await tx`lock table eaas.audit_entries in share update exclusive mode`;
    });
    expect(await migrating).toBeGreaterThan(0);
  });
  expect(await indexes()).toEqual(upgraded);
});

test('after the migration, the query of the previous version and `GET /v1/audit` list the same entries as before', async () => {
  const filters = [{ key_id }, { action: 'key.wrap' as const }, { key_id, action: 'key.rotate' as const }];
  const earlier = await Promise.all(filters.map(idsOfPreviousVersion));
  await migrate(owner, ROLES.server);
  expect(await Promise.all(filters.map(idsOfPreviousVersion))).toEqual(earlier);
  const lists = filters.map(async (filter) =>
    (await anns()('GET /v1/audit', filter)).logs.map(({ id }) => id),
  );
  expect(await Promise.all(lists)).toEqual(earlier);
  for (const list of earlier) expect(list.length).toBeGreaterThan(0);
});

async function idsOfPreviousVersion(filter: { key_id?: string; action?: string }): Promise<number[]> {
  const { key_id: key = null, action = null } = filter;
  const rows = await owner<{ id: number }[]>`
    select id from eaas.audit_entries
    where tenant_id = (select tenant_id from eaas.tenants where name = 'ann') and id between 1 and 1000
      and (${key}::uuid is null or key_id = ${key}) and (${action}::text is null or action = ${action})
    order by id desc limit 50`;
  return rows.map(({ id }) => id);
}
