import { EaasError, InputError } from '@eaas/sdk';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import {
  clientOf,
  endOf,
  type Person,
  runThrough,
  simulatedClock,
  tableOf,
} from '../../test/simulated-table.ts';
import { type ReencryptProgress, reencrypt, TooManyFailures } from './reencrypt.ts';

const toEncrypt = { mode: 'encrypt', to: {} } as const;
const plaintexts = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index}@example.com`);
const isEncrypted = (stored: string): boolean => stored.startsWith('eaas');

test('after each page, a run yields the counts of all pages that it has written', async () => {
  const { client } = observedClient();
  const { store } = tableOf(plaintexts(5));
  const counted = Object.assign(store, { count: async () => 5 });
  const pages = await runThrough(reencrypt(client, counted, { ...toEncrypt, pageSize: 2 }));
  expect(
    pages.map(({ cursor, seen, rewritten, finished }) => ({ cursor, seen, rewritten, finished })),
  ).toEqual([
    { cursor: 2, seen: 2, rewritten: 2, finished: false },
    { cursor: 4, seen: 4, rewritten: 4, finished: false },
    { cursor: 5, seen: 5, rewritten: 5, finished: false },
    { cursor: 5, seen: 5, rewritten: 5, finished: true },
  ]);
  expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5]);
});

test('`write` gets the old and the new value of every field', async () => {
  const { client } = observedClient();
  const table = tableOf(['a@example.com']);
  const { ciphertext: phone } = await client.encrypt('555');
  table.set(1, { phone });
  await endOf(reencrypt(client, table.store, toEncrypt));
  expect(table.writes).toMatchObject([
    {
      id: 1,
      expected: { email: 'a@example.com', phone },
      values: { email: expect.stringMatching(/^eaas/), phone },
      row: { id: 1 },
    },
  ]);
});

test('a re-encryption of an empty table reports `done: true`', async () => {
  const { client } = observedClient();
  const pages = await runThrough(reencrypt(client, tableOf([]).store, toEncrypt));
  expect(pages).toMatchObject([{ cursor: null, seen: 0, finished: true, done: true }]);
});

test('a re-encryption converts the next page only when the caller continues the iteration', async () => {
  const { client } = observedClient();
  const table = tableOf(plaintexts(4));
  for await (const { cursor } of reencrypt(client, table.store, { ...toEncrypt, pageSize: 2 })) {
    expect(table.writes).toHaveLength(2);
    if (cursor === 2) break;
  }
  expect(table.email(3)).toBe('2@example.com');
});

test('a run resumes from progress in JSON and keeps its counts', async () => {
  const { client } = observedClient();
  const table = tableOf([...plaintexts(3), 'eaasAQ']);
  const options = { ...toEncrypt, pageSize: 2 };
  let kept = '';
  for await (const progress of reencrypt(client, table.store, options)) {
    kept = JSON.stringify(progress);
    if (progress.seen === 2) break;
  }
  const resume = JSON.parse(kept) as ReencryptProgress<number>;
  const last = await endOf(reencrypt(client, table.store, { ...options, resume }));
  expect(last).toMatchObject({ seen: 4, rewritten: 3, failed: 1, finished: true, done: false });
  const after = await endOf(reencrypt(client, table.store, { ...options, resume: last }));
  expect(after).toMatchObject({ seen: 4, failed: 1, finished: true, done: false });
});

test('a dry run counts like a real run and writes nothing', async () => {
  const { client } = observedClient();
  const table = tableOf([...plaintexts(3), 'eaasAQ']);
  const dry = await endOf(reencrypt(client, table.store, { ...toEncrypt, dryRun: true }));
  expect(dry).toMatchObject({ seen: 4, rewritten: 3, failed: 1, finished: true, done: false });
  expect(table.writes).toEqual([]);
  const fine = await endOf(reencrypt(client, tableOf(['a']).store, { ...toEncrypt, dryRun: true }));
  expect(fine).toMatchObject({ rewritten: 1, finished: true, done: false });
  const resumed = runThrough(reencrypt(client, table.store, { ...toEncrypt, resume: dry }));
  await expect(resumed).rejects.toBeInstanceOf(InputError);
  const otherMode = runThrough(reencrypt(client, table.store, { mode: 'rewrap', dryRun: true, resume: dry }));
  await expect(otherMode).rejects.toBeInstanceOf(InputError);
});

test('if another program changes a row during a run, the run converts the newest value', async () => {
  const { client } = observedClient();
  const table = tableOf(plaintexts(3));
  let changes = 2;
  table.store.meanwhile = () => {
    if (changes-- > 0) table.set(2, { email: `newer ${changes}` });
  };
  const last = await endOf(reencrypt(client, table.store, { ...toEncrypt, clock: simulatedClock() }));
  expect(last).toMatchObject({ seen: 3, rewritten: 3, conflicted: 0, done: true });
  expect(await client.decrypt(table.email(2), { as: 'text' })).toBe('newer 0');
});

test('a row that changes at every attempt counts as a conflict', async () => {
  const { client } = observedClient();
  const table = tableOf(plaintexts(3));
  let writes = 0;
  table.store.meanwhile = () => table.set(2, { email: `newer ${writes++}` });
  const [page, last] = await runThrough(
    reencrypt(client, table.store, { ...toEncrypt, clock: simulatedClock() }),
  );
  expect(page).toMatchObject({ rewritten: 2, conflicted: 1, failures: [{ id: 2, code: 'conflict' }] });
  expect(last).toMatchObject({ finished: true, done: false });
  table.store.meanwhile = () => {};
  expect(await endOf(reencrypt(client, table.store, toEncrypt))).toMatchObject({ rewritten: 1, done: true });
});

test('a row that was deleted during the run is skipped', async () => {
  const { client } = observedClient();
  const table = tableOf(plaintexts(3));
  table.store.meanwhile = () => table.remove(3);
  const last = await endOf(reencrypt(client, table.store, { ...toEncrypt, clock: simulatedClock() }));
  expect(last).toMatchObject({ seen: 3, rewritten: 2, skipped: 1, done: true });
});

test("if the store cannot write a row, the failure of the row does not show the store's error", async () => {
  const { client } = observedClient();
  const table = tableOf(plaintexts(2));
  let attempts = 0;
  const store = {
    ...table.store,
    write: async (change: Parameters<typeof table.store.write>[0]) => {
      if (change.id === 2) return table.store.write(change);
      attempts++;
      throw new Error(
        `cannot replace ${String(change.expected.email)} by the longer value ${String(change.values.email)}`,
      );
    },
  };
  const [page] = await runThrough(reencrypt(client, store, { ...toEncrypt, clock: simulatedClock() }));
  expect(page).toMatchObject({ rewritten: 1, failed: 1, failures: [{ id: 1, code: 'store' }] });
  expect(JSON.stringify(page)).not.toContain('example.com');
  expect(attempts).toBe(5);
});

test('a row that `writeMany` does not return counts as not written', async () => {
  const { client } = observedClient();
  const table = tableOf(plaintexts(5));
  const sizes: number[] = [];
  const store = {
    ...table.store,
    writeMany: async (changes: readonly Parameters<typeof table.store.write>[0][]) => {
      sizes.push(changes.length);
      if (sizes.length === 1) table.set(2, { email: 'newer' });
      const written = await Promise.all(
        changes.map(async (change) => (await table.store.write(change)) && change.id),
      );
      return written.filter((id) => id !== false);
    },
  };
  const last = await endOf(reencrypt(client, store, { ...toEncrypt, pageSize: 3, clock: simulatedClock() }));
  expect(last).toMatchObject({ rewritten: 5, done: true });
  expect(sizes).toEqual([3, 1, 2]);
  expect(await client.decrypt(table.email(2), { as: 'text' })).toBe('newer');
});

test('a re-encryption runs at most `concurrency` writes at the same time', async () => {
  const { client } = observedClient();
  const table = tableOf(plaintexts(20));
  let [underWay, most] = [0, 0];
  const store = {
    ...table.store,
    write: async (change: Parameters<typeof table.store.write>[0]) => {
      most = Math.max(most, ++underWay);
      await new Promise(setImmediate);
      underWay--;
      return table.store.write(change);
    },
  };
  await endOf(reencrypt(client, store, { ...toEncrypt, concurrency: 3 }));
  expect(most).toBe(3);
});

test('a run with more than `maxFailures` failures ends after the current page', async () => {
  const { client } = observedClient();
  const table = tableOf(['eaasAQ', 'eaasAR', 'fine', 'eaasAS']);
  const pages: ReencryptProgress<number>[] = [];
  const run = async (): Promise<void> => {
    for await (const page of reencrypt(client, table.store, { ...toEncrypt, pageSize: 2, maxFailures: 1 }))
      pages.push(page);
  };
  await expect(run()).rejects.toBeInstanceOf(TooManyFailures);
  expect(pages).toMatchObject([{ failed: 2, cursor: 2 }]);
  const resume = pages[0];
  const last = await endOf(reencrypt(client, table.store, { ...toEncrypt, resume, maxFailures: 1 }));
  expect(last).toMatchObject({ rewritten: 1, failed: 3, finished: true });
});

test('the last progress has the failures of all pages', async () => {
  const { client } = observedClient();
  const table = tableOf(['eaasAQ', 'fine', 'eaasAS', 'fine']);
  const last = await endOf(reencrypt(client, table.store, { ...toEncrypt, pageSize: 1 }));
  expect(last).toMatchObject({ failed: 2, done: false, failures: [{ id: 1 }, { id: 3 }] });
});

test('a run waits while the service is unavailable', async () => {
  const { client, service } = observedClient({ retries: 0 });
  const table = tableOf(plaintexts(2));
  service.failNext('unavailable', { times: 3 });
  const clock = simulatedClock();
  expect(await endOf(reencrypt(client, table.store, { ...toEncrypt, clock }))).toMatchObject({ done: true });
  expect(clock.slept).toEqual([1_000, 2_000, 4_000]);
});

test('a re-encryption throws and writes nothing if the service stays unavailable', async () => {
  const { client, service } = observedClient({ retries: 0 });
  const table = tableOf(plaintexts(2));
  service.failNext('network', { times: 100 });
  const clock = simulatedClock();
  const run = runThrough(reencrypt(client, table.store, { ...toEncrypt, clock }));
  await expect(run).rejects.toMatchObject({ code: 'network' });
  expect(clock.now()).toBe(91_000);
  expect(table.writes).toEqual([]);
});

test('a run throws immediately if the API key lacks a permission', async () => {
  const { service, keyId } = observedClient();
  const { api_key: apiKey } = service.createApiKey({ permissions: ['audit.read'] });
  const client = clientOf({ ...service, apiKey }, { keyId });
  const clock = simulatedClock();
  const run = runThrough(reencrypt(client, tableOf(plaintexts(2)).store, { ...toEncrypt, clock }));
  await expect(run).rejects.toMatchObject({ code: 'permission_missing' });
  expect(clock.slept).toEqual([]);
});

test('a run follows the limits `rowsPerSecond` and `pause`', async () => {
  const { client } = observedClient();
  const clock = simulatedClock();
  await endOf(
    reencrypt(client, tableOf(plaintexts(5)).store, {
      ...toEncrypt,
      clock,
      pageSize: 2,
      rowsPerSecond: 10,
      pause: 150,
    }),
  );
  expect(clock.slept).toEqual([200, 200, 150]);
});

test('an aborted signal ends a run between two pages and during a pause', async () => {
  const { client } = observedClient();
  const table = tableOf(plaintexts(4));
  const stop = new AbortController();
  const seen: number[] = [];
  const run = async (): Promise<void> => {
    const options = { ...toEncrypt, pageSize: 2, pause: 60_000, signal: stop.signal };
    for await (const progress of reencrypt(client, table.store, options)) {
      seen.push(progress.seen);
      setImmediate(() => stop.abort());
    }
  };
  await expect(run()).rejects.toMatchObject({ code: 'aborted' });
  await expect(run()).rejects.toBeInstanceOf(EaasError);
  expect(seen).toEqual([2]);
  expect([1, 2, 3, 4].map((id) => isEncrypted(table.email(id)))).toEqual([true, true, false, false]);
});

test('a run that was aborted between two writes of a page resumes at this page', async () => {
  const { client } = observedClient();
  const table = tableOf(plaintexts(4));
  const stop = new AbortController();
  table.store.meanwhile = () => {
    if (table.writes.length === 1) stop.abort();
  };
  const options = { ...toEncrypt, concurrency: 1 };
  const run = runThrough(reencrypt(client, table.store, { ...options, signal: stop.signal }));
  await expect(run).rejects.toMatchObject({ code: 'aborted' });
  expect(table.writes).toHaveLength(2);
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ rewritten: 2, skipped: 2 });
});

test('a run throws InputError if `read` returns the last row of the previous page again', async () => {
  const { client } = observedClient();
  const table = tableOf(plaintexts(2));
  const read = ({ after = 1, limit }: { after: number | undefined; limit: number }): Promise<Person[]> =>
    table.store.read({ after: after - 1, limit });
  const run = runThrough(reencrypt(client, { ...table.store, read }, { ...toEncrypt, pageSize: 1 }));
  await expect(run).rejects.toBeInstanceOf(InputError);
});

test.each([
  ['in no order', [2, 1, 3]],
  ['twice', [1, 1, 2]],
  ['from the beginning again', [1, 2, 3]],
])('a run throws InputError if `read` returns rows %s, because the run would miss rows', async (_, ids) => {
  const { client } = observedClient();
  const table = tableOf(plaintexts(3));
  const read = async ({ after }: { after: number | undefined }): Promise<Person[]> =>
    (after === 3 ? [1, 2] : ids).flatMap((id) => table.rows.get(id) ?? []);
  const run = runThrough(reencrypt(client, { ...table.store, read }, toEncrypt));
  await expect(run).rejects.toThrow('in the order of the ids');
});

test.each([
  { pageSize: 0 },
  { pageSize: 1.5 },
  { concurrency: 0 },
  { rowsPerSecond: 0 },
  { rowsPerSecond: Number.NaN },
  { mode: 'rotate' as 'encrypt' },
  { dryrun: true },
])('reencrypt throws InputError for the options %j', async (options) => {
  const { client } = observedClient();
  const run = runThrough(reencrypt(client, tableOf([]).store, { ...toEncrypt, ...options }));
  await expect(run).rejects.toBeInstanceOf(InputError);
});
