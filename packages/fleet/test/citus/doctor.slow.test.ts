import { judgeCitus } from '@eaas/test-kit/cli';
import { type Pool, openPool } from '@eaas/test-kit/server';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { whereAvailable } from '@eaas/test-kit/available';
import { citusIsInstalled } from '@eaas/test-kit/citus';
import {
  addressIn,
  createDatabase,
  migrated,
  type PostgresAddress,
  type TestDatabase,
} from '@eaas/test-kit/database';
import { requested } from '@eaas/test-kit/on-demand';

whereAvailable('Citus', await citusIsInstalled(), () => {
  let place: TestDatabase;
  let server: Pool;
  let workers: { readonly name: string; readonly sql: postgres.Sql }[];
  let superuser: postgres.Sql;

  beforeAll(async () => {
    const citus = await requested<PostgresAddress>(inject('citus'));
    place = await createDatabase(migrated, Promise.resolve(citus));
    server = openPool(place.connection('server'), 1);
    const connect = (address: PostgresAddress): postgres.Sql =>
      postgres({ ...addressIn(address, place.name).connection('superuser'), max: 1, onnotice: () => {} });
    superuser = connect(citus);
    workers = (citus.workers ?? []).map((worker) => ({
      name: `${worker.host}:${worker.port}`,
      sql: connect(worker),
    }));
  });
  afterAll(async () => {
    await Promise.all([server, superuser, ...workers.map(({ sql }) => sql)].map((sql) => sql.end()));
    await place.drop();
  });

  async function found(): Promise<string[][]> {
    const findings = await judgeCitus(server);
    return workers.map(({ name }) =>
      findings
        .filter(({ message }) => message.includes(name))
        .map(({ check, status }) => `${check} ${status}`),
    );
  }

  test('doctor reports the settings that apply to the server’s role on every worker', async () => {
    const fast = ['fsync failed', 'full_page_writes failed'];
    const lossy = [...fast, 'synchronous_commit failed', 'citus failed'];
    expect(await found()).toEqual([lossy, lossy]);
    await superuser.unsafe(`alter role eaas_server in database ${place.name} set synchronous_commit = on`);
    const end = 'select pg_terminate_backend(pid) from pg_stat_activity where usename = $$eaas_server$$';
    await superuser`select run_command_on_workers(${end})`;
    await expect.poll(found).toEqual([fast, fast]);
  });

  test('the SQL that doctor prints repairs the functions of a worker', async () => {
    const [first] = workers;
    const before = await found();
    await first?.sql.begin(async (tx) => {
      await tx`set local citus.enable_ddl_propagation = off`;
      await tx`create or replace function
        eaas.first_entry_since(tenant uuid, moment bigint, first bigint, last bigint) returns bigint
        language sql as 'select 1::bigint'`;
    });
    const findings = await judgeCitus(server);
    const broken = findings.filter(({ message }) =>
      message.includes('the functions first_entry_since differ'),
    );
    expect(broken).toMatchObject([{ status: 'failed' }]);
    const [, repair = ''] = broken[0]?.message.split('run: ') ?? [];
    await superuser.unsafe(repair);
    expect(await found()).toEqual(before);
  });
});
