import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { endOf, type Person, simulatedClock, tableOf } from '../../test/simulated-table.ts';
import { type ReencryptOptions, type ReencryptProgress, reencrypt } from './reencrypt.ts';

const plaintexts = Array.from({ length: 6 }, (_, index) => `${index}@example.com`);
const users = { context: { table: 'users' } };
const people = { context: { table: 'people' } };

interface Case {
  readonly options: ReencryptOptions<Person>;
  /**
   * The contexts of the encrypted values before and after the run. `before` is undefined if the values are plaintexts.
   */
  readonly before: object | undefined;
  readonly after: object;
}
const modes: readonly Case[] = [
  { options: { mode: 'encrypt', to: people }, before: undefined, after: people },
  { options: { mode: 'rewrap' }, before: users, after: users },
  { options: { mode: 'reencrypt', from: users, to: people }, before: users, after: people },
];
const cases = modes.flatMap((mode) =>
  [502, 503, 504].map((status) => [mode.options.mode, status, mode] as const),
);

/** Simulates a gateway in front of the service. The gateway fails as many requests as `failures` says. */
async function openTable({ options, before, after }: Case, status: number) {
  const service = createTestService();
  const keyId = service.createKey('fields').key_id;
  const gateway = { failures: 0 };
  const fetch: typeof service.fetch = async (...request) => {
    if (gateway.failures-- > 0)
      return new Response('<h1>Gateway</h1>', { status, headers: { 'content-type': 'text/html' } });
    return service.fetch(...request);
  };
  // Without a cache of data keys, the client sends requests for each page of the table. The gateway can fail them.
  const cache = { encrypt: false, decrypt: false } as const;
  const client = new EaasClient({ ...service, keyId, fetch, cache, retries: 0 });
  const encrypted = before && (await client.encryptMany(plaintexts, before));
  await client.keys.rotate({ key_id: keyId });
  const table = tableOf(encrypted?.map((result) => (result.ok ? result.value.ciphertext : '')) ?? plaintexts);
  const clock = simulatedClock();
  return {
    gateway,
    clock,
    table,
    run: (resume?: ReencryptProgress<number>) =>
      reencrypt(client, table.store, { ...options, pageSize: 2, clock, resume }),
    decrypted: async () => {
      const stored = Array.from(table.rows.keys(), table.email);
      const results = await client.decryptMany(stored, { ...after, as: 'text' });
      return results.map((result) => result.ok && result.value);
    },
  };
}

test.each(cases)('a run in mode %s waits while a gateway responds with %d', async (_, status, mode) => {
  const { gateway, clock, table, run, decrypted } = await openTable(mode, status);
  let last: ReencryptProgress<number> | undefined;
  for await (const progress of run()) {
    if (progress.seen === 4) gateway.failures = 3;
    last = progress;
  }
  expect(last).toMatchObject({ seen: 6, rewritten: 6, failed: 0, done: true });
  expect(clock.slept).toEqual([1_000, 2_000, 4_000]);
  expect(table.writes).toHaveLength(6);
  expect(await decrypted()).toEqual(plaintexts);
});

test.each(cases)(
  'a run in mode %s can resume after a gateway response of %d ended it',
  async (_, status, mode) => {
    const { gateway, table, run, decrypted } = await openTable(mode, status);
    let kept = '';
    const interrupted = async (): Promise<void> => {
      for await (const progress of run()) {
        kept = JSON.stringify(progress);
        if (progress.seen === 4) gateway.failures = Infinity;
      }
    };
    await expect(interrupted()).rejects.toMatchObject({ code: 'unavailable', status, retryable: true });
    expect(table.writes).toHaveLength(4);
    gateway.failures = 0;
    const last = await endOf(run(JSON.parse(kept) as ReencryptProgress<number>));
    expect(last).toMatchObject({ seen: 6, rewritten: 6, failed: 0, done: true });
    expect(table.writes).toHaveLength(6);
    expect(await decrypted()).toEqual(plaintexts);
  },
);
