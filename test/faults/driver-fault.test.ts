import { readdirSync, statSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type postgres from 'postgres';
import { eaas } from '../conformance/program.ts';
import { createDatabase, type TestDatabase } from '../setup/database.ts';
import { type Answer, send } from './client.ts';
import { longest, newDek, tally } from './load.ts';
import {
  connectTo,
  newKey,
  operate,
  type Operator,
  readLog,
  someoneWaits,
  type Tenant,
  verify,
  whileWritesWait,
} from './place.ts';
import { kill, type Replica, startReplica } from './replica.ts';

// postgres.js writes to a socket that is gone when a connection is lost in the middle of a transaction: it throws then
// from a timer of its own, where no caller can catch it.

let database: TestDatabase;
let operator: Operator;
let sql: postgres.Sql;
let tenant: Tenant;

beforeAll(async () => {
  database = await createDatabase();
  operator = await operate(database.url);
  sql = connectTo(database);
  tenant = await operator.newTenant();
}, 60_000);

afterAll(async () => {
  await operator.close();
  await sql.end();
  await database.drop();
}, 60_000);

async function start(command?: readonly string[]): Promise<Replica> {
  const replica = await startReplica(operator.env, command);
  onTestFinished(() => kill(replica));
  return replica;
}

/** Cuts a replica's connection to the database in the middle of a change of a key. */
async function cutWhile(change: 'rotate' | 'disable', replica: Replica, keyId: string): Promise<string> {
  return whileWritesWait(sql, 'keys', async () => {
    const changing = send(replica, tenant.token, 'POST', `/v1/keys/${keyId}/${change}`);
    await sql`select pg_terminate_backend(${await someoneWaits(sql)})`;
    const { status, code } = await changing;
    return `${status} ${code}`;
  });
}

/** Reads and wraps, more at once than the pool has connections. */
async function many(replica: Replica, keyId: string): Promise<readonly Answer[]> {
  const path = `/v1/keys/${keyId}`;
  return Promise.all(
    Array.from({ length: 30 }, (_, nth) =>
      nth % 2
        ? send(replica, tenant.token, 'GET', path)
        : send(replica, tenant.token, 'POST', `${path}/wrap`, { dek: newDek() }),
    ),
  );
}

const commands: [string, readonly string[]][] = [['from its sources', eaas]];
if (wasBuiltLast()) commands.push(['as it is built', [process.execPath, 'packages/server/bin/eaas.mjs']]);

/** Whether there is a build, and no source is newer. */
function wasBuiltLast(): boolean {
  const server = new URL('../../packages/server/', import.meta.url);
  const changedAt = (path: string): number =>
    statSync(new URL(path, server), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(new URL('src', server), { encoding: 'utf8', recursive: true });
  return changedAt('dist/main.js') > Math.max(...sources.map((path) => changedAt(`src/${path}`)));
}

test.each(commands)(
  'a replica %s goes on when its connection is cut while a statement runs, which makes the driver throw',
  async (_, command) => {
    const replica = await start(command);
    const keyId = await newKey(replica, tenant.token);
    for (let times = 1; times <= 3; times++) {
      expect(await cutWhile('rotate', replica, keyId)).toBe('503 unavailable');
      await expect.poll(() => replica.survived(), { timeout: 5_000 }).toBe(times);
      expect(tally(await many(replica, keyId))).toEqual({ '200': 30 });
    }
    expect(replica.end()).toBeUndefined();
    expect((await readLog(replica, tenant)).filter(({ action }) => action === 'key.rotate')).toEqual([]);
    expect(await verify(replica, tenant)).toMatchObject({ valid: true });
  },
);

test('a replica goes on when its connection is cut before a statement runs, which leaves the driver stuck', async () => {
  const replica = await start();
  const keyId = await newKey(replica, tenant.token);
  for (let times = 1; times <= 3; times++) {
    expect(await cutWhile('disable', replica, keyId)).toBe('503 unavailable');
    const answers = await many(replica, keyId);
    expect(tally(answers)).toEqual({ '200': 30 });
    expect(longest(answers)).toBeLessThan(1_500);
  }
  expect((await readLog(replica, tenant)).filter(({ action }) => action === 'key.disable')).toEqual([]);
});

// Something that has nothing to do with the database goes wrong, on a signal.
const foreign = `data:text/javascript,${encodeURIComponent(
  'process.on("SIGUSR2", () => setImmediate(() => { const nobody = null; nobody.write(); }))',
)}`;

test('a replica ends with 70 after any other error that nobody caught', async () => {
  const [node = '', ...args] = eaas;
  const replica = await start([node, '--import', foreign, ...args]);
  replica.signal('SIGUSR2');
  expect(await replica.ended).toEqual({ code: 70, signal: null });
  expect(replica.survived()).toBe(0);
  expect(replica.log()).toContain('an error that nobody expected');
});
