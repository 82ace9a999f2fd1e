import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { rootKey } from '../../packages/server/src/crypto/key-hierarchy.ts';
import { ROLES } from '../../packages/dev/src/cluster.ts';
import { createService } from '../../packages/server/src/app/service.ts';
import { Database } from '../../packages/server/src/store/database.ts';
import { citus as cluster } from '../../packages/fleet/src/citus/distribute.ts';
import { migrate } from '../../packages/server/src/store/migrate.ts';
import { changeIndexes } from '../../packages/server/src/store/online-migration.ts';
import { openPool, type Pool } from '../../packages/server/src/store/sql.ts';
import { whereAvailable } from '../setup/available.ts';
import { addNodes, citusIsInstalled } from '../setup/citus.ts';
import { createDatabase, type PostgresAddress, type TestDatabase } from '../setup/database.ts';
import { requested } from '../setup/on-demand.ts';
import { apiOf, dek } from '../setup/world.ts';
import { before } from '../upgrades/before-tenant-first.ts';

const keys: Readonly<Record<string, string>> = {
  api_key_uses: 'tenant_id',
  api_keys: 'tenant_id',
  audit_anchors: 'tenant_id',
  audit_entries: 'tenant_id',
  audit_heads: 'tenant_id',
  entry_counts: 'tenant_id',
  key_counts: 'tenant_id',
  key_version_uses: 'tenant_id',
  key_versions: 'tenant_id',
  keys: 'tenant_id',
  row_records: 'tenant_id',
  tenant_names: 'name',
  tenants: 'tenant_id',
  token_directory: 'token_hash',
  usage: 'tenant_id',
  usage_cursors: 'tenant_id',
  verification_markers: 'tenant_id',
};

const local = ['leases', 'migrations', 'root_checks', 'verifications'];

whereAvailable('Citus', await citusIsInstalled(), () => {
  let citus: PostgresAddress;
  let place: TestDatabase;
  let owner: Pool;
  let database: Database;

  beforeEach(async () => {
    citus = await requested<PostgresAddress>(inject('citus'));
  });
  afterEach(async () => {
    await Promise.all([owner.end(), database.close()]);
    await place.drop();
  });

  async function open(given: TestDatabase): Promise<void> {
    place = given;
    owner = openPool(place.connection('owner'), 1);
    database = new Database(place.connection('server'), 4);
  }

  async function fill(): Promise<void> {
    await owner.unsafe(
      await readFile(new URL('../upgrades/before-tenant-first.sql', import.meta.url), 'utf8'),
    );
  }

  async function distributed(): Promise<Record<string, string>> {
    const rows = await owner<{ name: string; column: string }[]>`
      select relname as name, column_to_column_name(logicalrelid, partkey) as column
      from pg_dist_partition join pg_class on oid = logicalrelid where relnamespace = 'eaas'::regnamespace`;
    return Object.fromEntries(rows.map(({ name, column }) => [name, column]));
  }

  async function expectWhole(): Promise<void> {
    expect(await distributed()).toEqual(keys);
    const service = createService({ database, roots: [rootKey(Buffer.from(before.rootKey, 'base64'))] });
    const anns = apiOf(service, before.ann.token);
    const { checkpoint } = before;
    await anns('POST /v1/keys/:key_id/wrap', { key_id: before.ann.busy, dek });
    await anns('POST /v1/keys/:key_id/rotate', { key_id: before.ann.busy });
    expect(await anns('GET /v1/audit/verify', { checkpoint })).toMatchObject({ valid: true, errors: [] });
    const bens = apiOf(service, before.ben.token);
    expect(await bens('GET /v1/audit/verify', {})).toMatchObject({ valid: true, errors: [] });
  }

  async function localRows(): Promise<number[]> {
    const sizes = Object.keys(keys).map(
      (name) => owner<{ size: number }[]>`
      select pg_relation_size(${`eaas.${name}`}::regclass) as size`,
    );
    return (await Promise.all(sizes)).map(([row]) => row?.size ?? 0);
  }

  test('`eaas migrate` distributes each table of a new database', async () => {
    await open(await createDatabase(undefined, Promise.resolve(citus)));
    await migrate(owner, ROLES.server, { cluster });
    expect(await distributed()).toEqual(keys);
    const rows = await owner<{ name: string }[]>`
      select relname as name from pg_class where relnamespace = 'eaas'::regnamespace and relkind = 'r'`;
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...Object.keys(keys), ...local].toSorted());
    expect(await migrate(owner, ROLES.server, { cluster })).toBe(0);
  });

  test('`eaas migrate` upgrades and distributes a database with rows', async () => {
    await open(await createDatabase(undefined, Promise.resolve(citus)));
    await fill();
    await migrate(owner, ROLES.server, { cluster });
    expect(new Set(await localRows())).toEqual(new Set([0]));
    await expectWhole();
  });

  test('if Citus is added to an existing database, `eaas migrate` distributes the tables', async () => {
    const alone = { ...citus, template: 'template0' };
    await open(await createDatabase(undefined, Promise.resolve(alone)));
    await fill();
    await migrate(owner, ROLES.server, { cluster });
    await addNodes(citus, place.name);
    expect(await migrate(owner, ROLES.server, { cluster })).toBe(0);
    expect(new Set(await localRows())).toEqual(new Set([0]));
    await expectWhole();
    expect(await migrate(owner, ROLES.server, { cluster })).toBe(0);
  });

  test('an online migration changes the indexes of all shards', async () => {
    await open(await createDatabase(undefined, Promise.resolve(citus)));
    await fill();
    await migrate(owner, ROLES.server, { cluster });
    const migration = {
      table: 'keys',
      created: { keys_by_mac: '(tenant_id, mac)' },
      dropped: ['keys_by_status'],
    };
    await Promise.all([1, 2].map(() => changeIndexes(owner, { ...migration, statements: '' })));
    const indexes = async (name: string): Promise<number> => {
      const rows = await owner<{ count: number }[]>`
        select result::bigint as count from run_command_on_workers(${`
          select count(*) from pg_index where indisvalid and indexrelid::regclass::text ~ '^eaas\\.${name}_[0-9]+$'`})`;
      return rows.reduce((sum, row) => sum + row.count, 0);
    };
    const [shards] = await owner<{ count: number }[]>`
      select count(*) from pg_dist_shard where logicalrelid = 'eaas.keys'::regclass`;
    expect(await indexes('keys_by_mac')).toBe(shards?.count);
    expect(await indexes('keys_by_status')).toBe(0);
    await expectWhole();
  });
});
