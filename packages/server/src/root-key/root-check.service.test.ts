import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { migrated, createDatabase } from '@eaas/test-kit/database';
import { type RootKey, rootKey } from '@eaas/service';
import { createTenant } from '../operator/tenants.ts';
import { checkRoots, claim, release } from './root-check.ts';
import { createService } from '../app/service.ts';
import { Database } from '../postgres/database.ts';
import type { Transaction } from '../postgres/sql.ts';

type Roots = readonly [RootKey, ...RootKey[]];

let database: Database;
beforeEach(async () => {
  const place = await createDatabase(migrated);
  database = await closing(new Database(place.connection('server')), (it) => it.close());
});

const newRoot = (): RootKey => rootKey(randomBytes(32));
const check = (...roots: Roots) => database.transaction((tx) => checkRoots(tx, roots));
const tenantUnder = (...roots: Roots) =>
  createTenant(createService({ database, roots }), { name: randomBytes(8).toString('hex') });

test('concurrent first starts succeed only with the same root key', async () => {
  const root = newRoot();
  await Promise.all(Array.from({ length: 8 }, () => check(root)));

  const other = await createDatabase(migrated);
  const there = new Database(other.connection('server'));
  const starts = await Promise.allSettled(
    Array.from({ length: 8 }, () => there.transaction((tx) => checkRoots(tx, [newRoot()]))),
  );
  expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await there.close();
});

test('a server without the new root key can start as long as the new root key has encrypted no secret', async () => {
  const [old, next] = [newRoot(), newRoot()];
  await tenantUnder(old);
  await check(next, old);
  // The next root key has not encrypted any data yet, so a replica that does not have this key can still restart.
  await check(old);
  await tenantUnder(next, old);
  await check(next, old);
  await check(old, next);
  for (const one of [old, next]) await expect(check(one)).rejects.toThrow('both root keys are needed');
});

test('under a registered root key nobody waits for whoever creates a tenant, but its removal does', async () => {
  const [root, next] = [newRoot(), newRoot()];
  await check(root);
  await database.transaction((tx) => claim(tx, [next, root]));
  let isRemoved = false;
  let removal: Promise<unknown> | undefined;
  await database.transaction(async (tx) => {
    await claim(tx, [next, root]);

    // These would hang if the first one held the lock alone.
    await tenantUnder(root, next);
    removal = database.transaction(async (other) => {
      await release(other, next);
      isRemoved = true;
    });
    await expect.poll(() => waitingForLocks(tx)).toBe(1);
    expect(isRemoved).toBe(false);
  });
  await removal;
  expect(isRemoved).toBe(true);
});

/** How many sessions of the database wait for an advisory lock. */
const waitingForLocks = async (sql: Transaction): Promise<number> =>
  (
    await sql`select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`
  ).count;

test('a root key is removed only after it no longer encrypts any secret', async () => {
  const [old, next] = [newRoot(), newRoot()];
  await check(old);
  await database.transaction((tx) => claim(tx, [next, old]));
  await tenantUnder(old, next);
  expect(await database.transaction((tx) => release(tx, old))).toBe(false);
  await check(old, next);
  expect(await database.transaction((tx) => release(tx, next))).toBe(true);
  await check(old);
  await expect(check(next)).rejects.toThrow('does not open this database');
});

test('a database with tenants is refused if its table `root_checks` is empty', async () => {
  const root = newRoot();
  await tenantUnder(root);
  await database.run((sql) => sql`delete from eaas.root_checks`);
  await expect(check(root)).rejects.toThrow('has tenants but no root check');
  await expect(tenantUnder(newRoot())).rejects.toThrow('has tenants but no root check');
});

test('a changed row of root_checks stops the start with an error', async () => {
  const root = newRoot();
  await database.transaction((tx) => claim(tx, [root]));
  await database.run((sql) => sql`delete from eaas.root_checks`);
  await database.run(
    (sql) => sql`insert into eaas.root_checks (root_id, sealed) values (${root.rootId}, ${randomBytes(78)})`,
  );
  await expect(check(root)).rejects.toThrow('does not open its own row in eaas.root_checks');
});
