import { expect, test } from 'vitest';
import { apiOf, settle, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { Turns } from '../../admission/turns.ts';
import { forEachPage } from '../../store/audit-entries.ts';
import { Database } from '../../store/database.ts';
import { rowAges } from '../../store/row-pages.ts';
import type { Transaction } from '../../store/sql.ts';
import { beginInspection, type Inspection } from './report.ts';
import { readStories } from './stories.ts';

const changes = 1_300;

const world = await testWorld();
const service = world.replica();
const { tenantId, token } = await settle(service, 'ann');
const { key_id: keyId } = await apiOf(service, token)('POST /v1/keys', { name: 'key' });
const { sql } = await openAttacker(world);
await sql`
  insert into eaas.audit_entries
    (tenant_id, id, action, key_id, key_version, actor, metadata, created_at, hash, mac)
  select tenant_id, id + nth, 'key.rotation_policy', key_id, 1, actor,
    json_build_object('previous_change', id + nth - 1), created_at, hash, mac
  from eaas.audit_entries, generate_series(1, ${changes - 1}::int) nth
  where tenant_id = ${tenantId} and key_id = ${keyId}`;

const storyOf = (inspection: Inspection, seen: (tx: Transaction) => Transaction = (tx) => tx) =>
  inspection.database.snapshot(async (tx) => {
    const stories = await readStories(seen(tx), inspection, 0);
    return stories.get(`key ${keyId}`);
  });

test('the verification reads the changes of all rows with one statement', async () => {
  const statements: unknown[] = [];
  const count = (tx: Transaction) =>
    new Proxy(tx, {
      apply(target, self, args: unknown[]) {
        statements.push(args[0]);
        return Reflect.apply(target as (...all: unknown[]) => unknown, self, args);
      },
    });
  const story = await storyOf(beginInspection(world.replica(), tenantId), count);
  expect(story).toMatchObject({ length: changes, breaks: [] });
  expect(statements).toHaveLength(1);
});

test.each([500, changes])(
  'an error after %i changes ends the reading, and the connection stays usable',
  async (last) => {
    const database = new Database(world.database.connection('server'), 1);
    let count = 0;
    const read = database.snapshot((tx) =>
      forEachPage(
        tx,
        tenantId,
        ['key.rotation_policy', 'key.create'],
        { after: 0, through: 1e9 },
        async (rows) => {
          count += rows.length;
          if (count >= last) throw new Error('not readable');
        },
      ),
    );
    await expect(read).rejects.toThrow('not readable');
    expect(count).toBe(last);
    expect(await database.snapshot((tx) => rowAges(tx, tenantId))).toHaveLength(3);
    await database.close();
  },
);

test('a verification reads all changes of a row even if each wait for CPU time takes 3 s', async () => {
  let now = 0;
  const turns = new Turns(
    () => (now += 0.1),
    (turn) =>
      setImmediate(() => {
        now += 3_000;
        turn();
      }),
  );
  const done = new AbortController();
  function* busy(): Generator<undefined, void> {
    while (!done.signal.aborted) yield;
  }
  const others = turns.run('another tenant', busy(), { isBegun: true });
  const inspection = { ...beginInspection(world.replica(), tenantId), turns };
  const story = await storyOf(inspection).finally(() => done.abort());
  expect(story?.length).toBe(changes);
  await others;
});
