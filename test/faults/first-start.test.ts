import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eaas, type Environment, run } from '../conformance/program.ts';
import { createDatabase, type TestDatabase } from '../setup/database.ts';
import { connectTo } from './place.ts';
import { kill, startReplica } from './replica.ts';

let database: TestDatabase;
let env: Environment;

beforeAll(async () => {
  database = await createDatabase();
  env = {
    DATABASE_URL: database.url('server'),
    EAAS_MIGRATE_DATABASE_URL: database.url('owner'),
    EAAS_ROOT_KEY: randomBytes(32).toString('base64'),
  };
});

afterAll(() => database.drop());

test('two migrations of an empty database at the same moment both succeed', async () => {
  const [one, other] = await Promise.all([run([...eaas, 'migrate'], env), run([...eaas, 'migrate'], env)]);
  expect([one.code, other.code, one.stderr, other.stderr]).toEqual([0, 0, '', '']);
});

test('four servers that start for the first time at the same moment all serve, under one root check', async () => {
  const replicas = await Promise.all([1, 2, 3, 4].map(() => startReplica(env)));
  const ready = await Promise.all(replicas.map(({ port }) => fetch(`http://127.0.0.1:${port}/readyz`)));
  expect(ready.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const sql = connectTo(database);
  expect((await sql`select from eaas.root_checks`).count).toBe(1);
  await sql.end();
  for (const replica of replicas) await kill(replica);
}, 60_000);
