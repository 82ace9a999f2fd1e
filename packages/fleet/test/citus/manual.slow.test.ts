import { createService, migrate, openPool } from '@eaas/test-kit/server';
import { Database, rootKey } from '@eaas/server/internal';
import { ROLES } from '@eaas/test-kit/dev';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { citus as cluster } from '../../src/citus.ts';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { whereAvailable } from '@eaas/test-kit/available';
import { citusIsInstalled } from '@eaas/test-kit/citus';
import { addressIn, createDatabase, type PostgresAddress, type TestDatabase } from '@eaas/test-kit/database';
import { requested } from '@eaas/test-kit/on-demand';
import { apiOf, dek, settle } from '@eaas/test-kit/world';

const [extension = '', nodes = '', roles = '', find = '', move = '', isolate = ''] = blocksOf(
  read('docs/operating/citus.md'),
  'sql',
);

whereAvailable('Citus', await citusIsInstalled(), () => {
  let citus: PostgresAddress;
  let place: TestDatabase;
  let database: Database;
  let superuser: postgres.Sql;

  const on = (address: PostgresAddress): postgres.Sql =>
    postgres({ ...addressIn(address, place.name).connection('superuser'), max: 1, onnotice: () => {} });

  beforeAll(async () => {
    citus = await requested<PostgresAddress>(inject('citus'));
    place = await createDatabase(undefined, Promise.resolve({ ...citus, template: 'template0' }));
    database = new Database(place.connection('server'), 4);
    superuser = on(citus);
  });
  afterAll(async () => {
    await Promise.all([database.close(), superuser.end()]);
    await place.drop();
  });

  const addressed = (text: string): string =>
    [citus, ...(citus.workers ?? [])].reduce(
      (sum, { host }, nth) =>
        sum.replaceAll(nth === 0 ? 'coordinator.example' : `worker-${nth}.example`, host),
      text,
    );

  test('the statements of docs/operating/citus.md make a Citus database and move the shard of a tenant', async () => {
    for (const node of [citus, ...(citus.workers ?? [])]) {
      const sql = on(node);
      await sql.unsafe(extension);
      await sql.end();
    }
    await superuser.unsafe(addressed(nodes));
    await superuser.unsafe(roles);
    const owner = openPool(place.connection('owner'), 1);
    await migrate(owner, ROLES.server, { cluster });
    await owner.end();

    const service = createService({ database, roots: [rootKey(Buffer.alloc(32, 1))] });
    const { tenantId, token } = await settle(service, 'ann');
    const api = apiOf(service, token);
    const { key_id } = await api('POST /v1/keys', { name: 'key' });
    await api('POST /v1/keys/:key_id/wrap', { key_id, dek });

    const ofTenant = (text: string): string => text.replace('00000000-0000-0000-0000-000000000000', tenantId);
    const found = () => superuser.unsafe<{ shardid: string; nodename: string }[]>(ofTenant(find));
    const [before] = await found();
    await superuser.unsafe(ofTenant(isolate));
    const [from] = await found();
    expect(from?.shardid).not.toBe(before?.shardid);
    const target = citus.workers?.find(({ host }) => host !== from?.nodename);
    await superuser.unsafe(
      move
        .replace('102008', from?.shardid ?? '')
        .replace('worker-1.example', from?.nodename ?? '')
        .replace('worker-2.example', target?.host ?? ''),
    );

    expect(await found()).toMatchObject([{ nodename: target?.host }]);
    await api('POST /v1/keys/:key_id/rotate', { key_id });
    expect(await api('GET /v1/audit/verify', {})).toMatchObject({ valid: true, errors: [] });
    expect(await api('GET /v1/audit', { action: 'key.wrap' })).toMatchObject({ total: 1 });
  });
});
