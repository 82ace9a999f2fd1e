import { expect, test } from 'vitest';
import { eaas, run } from '@eaas/test-kit/program';
import { environmentOf, testDatabase } from '@eaas/test-kit/database';
import { connectTo, startReplica } from '@eaas/test-kit/faults/place';

const database = await testDatabase();
const env = environmentOf(database.url);

test('two concurrent migrations of an empty database both succeed', async () => {
  const [one, other] = await Promise.all([run([...eaas, 'migrate'], env), run([...eaas, 'migrate'], env)]);
  expect([one.code, other.code]).toEqual([0, 0]);
  // Of two concurrent migrations, only the one that changed the database prints the operator's next step.
  expect(one.stderr + other.stderr).toBe('Next: `eaas doctor`, and then `eaas serve`\n');
});

test('only one of four servers that start concurrently registers the root key', async () => {
  const replicas = await Promise.all([1, 2, 3, 4].map(() => startReplica(env)));
  const ready = await Promise.all(replicas.map(({ port }) => fetch(`http://127.0.0.1:${port}/readyz`)));
  expect(ready.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const sql = connectTo(database);
  expect((await sql`select from eaas.root_checks`).count).toBe(1);
  await sql.end();
  for (const replica of replicas) await replica.kill();
});
