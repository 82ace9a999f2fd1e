import { type Pool, createService, migrate, openPool } from '@eaas/test-kit/server';
import { ROLES } from '@eaas/test-kit/dev';
import { Database, type Service, rootKey } from '@eaas/server/internal';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { citus as cluster } from '../../src/citus.ts';
import { whereAvailable } from '@eaas/test-kit/available';
import { addNodes, citusIsInstalled } from '@eaas/test-kit/citus';
import { createDatabase, type PostgresAddress, type TestDatabase } from '@eaas/test-kit/database';
import { requested } from '@eaas/test-kit/on-demand';
import { apiOf, dek, settle } from '@eaas/test-kit/world';

const keys: Readonly<Record<string, string>> = {
  api_key_uses: 'tenant_id',
  api_keys: 'tenant_id',
  audit_anchors: 'tenant_id',
  audit_entries: 'tenant_id',
  audit_heads: 'tenant_id',
  entry_counts: 'tenant_id',
  issuers: 'tenant_id',
  key_counts: 'tenant_id',
  key_sets: 'tenant_id',
  key_version_uses: 'tenant_id',
  key_versions: 'tenant_id',
  keys: 'tenant_id',
  row_records: 'tenant_id',
  subject_counts: 'tenant_id',
  subjects: 'tenant_id',
  tenant_names: 'name',
  tenants: 'tenant_id',
  token_directory: 'token_hash',
  usage: 'tenant_id',
  usage_cursors: 'tenant_id',
  verification_markers: 'tenant_id',
  log_proofs: 'tenant_id',
};

const local = [
  'leases',
  'log_keys',
  'log_moments',
  'log_tiles',
  'migrations',
  'root_checks',
  'verifications',
];

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

  type Settled = Awaited<ReturnType<typeof settle>>;

  async function fill(): Promise<{ service: Service; tenants: Settled[] }> {
    const service = createService({ database, roots: [rootKey(randomBytes(32))] });
    const tenants = [await settle(service, 'ann'), await settle(service, 'ben')];
    return { service, tenants };
  }

  async function distributed(): Promise<Record<string, string>> {
    const rows = await owner<{ name: string; column: string }[]>`
      select relname as name, column_to_column_name(logicalrelid, partkey) as column
      from pg_dist_partition join pg_class on oid = logicalrelid where relnamespace = 'eaas'::regnamespace`;
    return Object.fromEntries(rows.map(({ name, column }) => [name, column]));
  }

  async function expectWhole({ service, tenants }: Awaited<ReturnType<typeof fill>>): Promise<void> {
    expect(await distributed()).toEqual(keys);
    for (const { tenantId, token } of tenants) {
      service.tenants.forget(tenantId);
      const api = apiOf(service, token);
      const { key_id } = await api('POST /v1/keys', { name: 'later' });
      await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
      await api('POST /v1/keys/:key_id/rotate', { key_id });
      expect(await api('GET /v1/audit/verify', {})).toMatchObject({ valid: true, errors: [] });
    }
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

  test('if Citus is added to an existing database, `eaas migrate` distributes the tables', async () => {
    const alone = { ...citus, template: 'template0' };
    await open(await createDatabase(undefined, Promise.resolve(alone)));
    await migrate(owner, ROLES.server, { cluster });
    const filled = await fill();
    await addNodes(citus, place.name);
    expect(await migrate(owner, ROLES.server, { cluster })).toBe(0);
    expect(new Set(await localRows())).toEqual(new Set([0]));
    await expectWhole(filled);
    expect(await migrate(owner, ROLES.server, { cluster })).toBe(0);
  });
});
