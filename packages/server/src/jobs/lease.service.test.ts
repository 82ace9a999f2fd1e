import { expect, test } from 'vitest';
import { testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { LeaseLost, releaseLease, requireLease, takeLease } from './leases.ts';
import { withLease } from './schedule.ts';

const never = new AbortController().signal;
const [one, other] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];

const world = await testWorld();
const attacker = await openAttacker(world);

const take = (job: string, holder: string, milliseconds = 60_000) =>
  world.replica().database.run((sql) => takeLease(sql, job, holder, milliseconds));
const expire = (job: string) => attacker.sql`update eaas.leases set expires_at = 0 where job = ${job}`;

test('only one replica can hold the lease of a job', async () => {
  expect(await take('a', one)).toMatchObject({ fence: 1 });
  expect(await take('a', other)).toBeUndefined();
  expect(await take('a', one)).toMatchObject({ fence: 1 });
  await expire('a');
  expect(await take('a', other)).toMatchObject({ fence: 2 });
});

test('after the clock of the database was set back, another replica can take the lease of a job', async () => {
  await take('g', one);
  world.time -= 365 * 24 * 60 * 60 * 1_000;
  expect(await take('g', other)).toMatchObject({ fence: 2 });
});

test("a job's transaction rolls back if another replica has taken the lease", async () => {
  const lease = await take('b', one);
  await expire('b');
  await take('b', other);
  const { database } = world.replica();
  const write = database.transaction(async (tx) => {
    await requireLease(tx, lease ?? { job: 'b', holder: one, fence: 1 });
    await tx`insert into eaas.api_key_uses values (${one}, ${one}, 0)`;
  });
  await expect(write).rejects.toThrow(LeaseLost);
  expect(await attacker.sql`select from eaas.api_key_uses`).toHaveLength(0);
});

test('no other replica can take the lease of a job during a transaction that checked this lease', async () => {
  const { database } = world.replica();
  const lease = await take('c', one, 300);
  const order: string[] = [];
  let write = (): void => {};
  const mayWrite = new Promise<void>((resolve) => {
    write = resolve;
  });
  let writing: Promise<void> | undefined;
  await new Promise<void>((checked) => {
    writing = database.transaction(async (tx) => {
      await requireLease(tx, lease ?? { job: 'c', holder: one, fence: 1 });
      checked();
      await mayWrite;
      order.push('written');
    });
  });
  world.time += 300;
  const taken = take('c', other).then((row) => order.push(`taken with fence ${row?.fence}`));
  const waiting = () => attacker.sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => order.length > 0 || (await waiting()).length > 0).toBe(true);
  write();
  await Promise.all([writing, taken]);
  expect(order).toEqual(['written', 'taken with fence 2']);
});

test('a replica holds the lease of a job only while the job runs', async () => {
  const service = world.replica();
  const lease = await take('d', other);
  await withLease(service, 'd', never, () => Promise.reject(new Error('another replica holds the lease')));
  await service.database.run((sql) => releaseLease(sql, lease ?? { job: 'd', holder: other, fence: 1 }));
  const failing = withLease(service, 'd', never, async () => {
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(await take('d', other)).toMatchObject({ fence: 3 });
});

test('a job ends when the server stops', async () => {
  const stopping = new AbortController();
  await withLease(world.replica(), 'f', stopping.signal, async ({ signal }) => {
    stopping.abort();
    expect(signal.aborted).toBe(true);
  });
  await withLease(world.replica(), 'f', stopping.signal, async ({ signal }) => {
    expect(signal.aborted).toBe(true);
  });
});
