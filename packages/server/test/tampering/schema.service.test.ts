// What a superuser adds to the schema while servers run: the comparison of each half hour tells of it, and stops nothing.
import { randomBytes } from 'node:crypto';
import { rootKey } from '@eaas/service';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase, migrated } from '@eaas/test-kit/database';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';
import { expect, test } from 'vitest';
import { serverJobs } from '../../src/app/server-jobs.ts';
import type { ServerState } from '../../src/http/metrics.ts';
import { readCatalogue } from '../../src/postgres/catalogue.ts';
import { compareSchema, recordSchema } from '../../src/postgres/migrate.ts';
import { recordCatalogue } from '../../src/postgres/schema-records.ts';
import { openPool } from '../../src/postgres/sql.ts';

const world = await testWorld();
const service = world.replica();
const ann = await settle(service, 'ann');
const superuser = await closing(openPool(world.database.connection('superuser'), 1), (it) => it.end());
const lines: object[] = [];
service.alarms.log = (fields) => lines.push(fields);

/** Runs the job of a server that compares the schema. The clock of these tests is a function of their own. */
async function compare(schemaAllow: readonly string[] = []): Promise<ServerState['schema']> {
  const state: ServerState = { jobs: [], verified: undefined };
  const options = { auditRetentionMonths: 60, plugins: [], schemaAllow };
  const job = serverJobs(service, options as never, state, undefined as never).find(
    ({ name }) => name === 'schema',
  );
  await job?.run(new AbortController().signal);
  return state.schema;
}

test('two triggers that undo appends are found while servers run, with the statements that take them away', async () => {
  const api = apiOf(service, ann.token);
  const { key_id } = await api('POST /v1/keys', { name: 'key' });
  // The clock of the world is a function that is not ours.
  const before = (await compare())?.faults ?? 0;
  const foundBefore = service.alarms.tamperingFound;
  lines.length = 0;
  await superuser.unsafe(`
    create function public.keep() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger keep before update on eaas.audit_heads for each row execute function public.keep();
    create trigger undo after insert on eaas.tallies for each row execute function public.keep()`);

  expect(await compare()).toEqual({ faults: before + 2, allowed: 0, isUnknown: false });
  expect(service.alarms.tamperingFound).toBe(foundBefore + 1);
  await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
  expect(await compare(['keep', 'undo'])).toEqual({ faults: before, allowed: 2, isUnknown: false });

  await superuser.unsafe('drop trigger "keep" on eaas.audit_heads; drop trigger "undo" on eaas.tallies');
  expect(await compare()).toEqual({ faults: before, allowed: 0, isUnknown: false });
});

test('beside a newer schema a server cannot judge, until one of its version has recorded what it is like', async () => {
  const place = await createDatabase(migrated);
  const owner = await closing(openPool(place.connection('superuser'), 1), (it) => it.end());
  const { roots } = world;
  const judge = () => compareSchema(owner, { roots });
  const replaced = 'create or replace function eaas.now_ms() returns bigint language sql volatile return 1';
  expect(await judge()).toMatchObject({ faults: [], isUnknown: false });

  // Somebody claims that a later version has migrated the database, and replaces a function.
  await owner.unsafe(`insert into eaas.steps (step) values (2); ${replaced}`);
  expect(await judge()).toMatchObject({ faults: [], isUnknown: true });
  await owner`insert into eaas.schema_records (step, catalogue, mac) values (2, '{}', sha256('')::bytea)`;
  expect(await judge()).toMatchObject({ faults: [], isUnknown: true });

  // The first server of the later version knows what its functions are.
  await owner`delete from eaas.schema_records`;
  await recordCatalogue(owner, 2, roots);
  const { faults, isUnknown } = await judge();
  expect([isUnknown, faults]).toEqual([false, [expect.stringMatching(/^function eaas\.now_ms is /)]]);
  expect(await compareSchema(owner, { roots: [rootKey(randomBytes(32))] })).toMatchObject({
    isUnknown: true,
  });
});

test('a newer schema is compared with what its version has recorded, not with this one', async () => {
  const place = await createDatabase(migrated);
  const owner = await closing(openPool(place.connection('superuser'), 1), (it) => it.end());
  await owner.unsafe(`
    insert into eaas.steps (step) values (2);
    create function eaas.made_up() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger made_up before update on eaas.tenants for each row execute function eaas.made_up();
    drop index eaas.keys_by_age`);
  await recordCatalogue(owner, 2, world.roots, await readCatalogue(owner));
  const judge = () => compareSchema(owner, { roots: world.roots });
  expect(await judge()).toEqual({ faults: [], others: [], allowed: [], isUnknown: false });

  await owner`drop trigger made_up on eaas.tenants`;
  expect((await judge()).faults).toEqual(['trigger eaas.tenants.made_up is missing']);
});

test('a server records its schema once, and anew under another root key', async () => {
  const place = await createDatabase(migrated);
  const owner = await closing(openPool(place.connection('superuser'), 1), (it) => it.end());
  const record = async () =>
    (await owner<{ step: number; mac: Uint8Array }[]>`select step, mac from eaas.schema_records`).map(
      ({ step, mac }) => `${step} ${Buffer.from(mac).toString('hex')}`,
    );
  await recordSchema(owner, world.roots);
  const first = await record();
  await recordSchema(owner, world.roots);
  expect(await record()).toEqual(first);
  expect(first).toEqual([expect.stringMatching(/^1 [\da-f]{64}$/)]);

  await recordSchema(owner, [rootKey(randomBytes(32))]);
  expect(await record()).not.toEqual(first);
  await owner`delete from eaas.schema_records`;
  await owner`insert into eaas.steps (step) values (2)`;
  await recordSchema(owner, world.roots);
  expect(await record()).toEqual([]);
});
