import { expect, test, vi } from 'vitest';
import { apiOf, settle, testWorld } from '@eaas/test-kit/world';
import { listKeys } from './keys.ts';

const names = Array.from({ length: 30 }, (_, nth) => `key ${nth}`);
const newestFirst = names.toReversed();

const world = await testWorld();
const service = world.replica();
const { tenantId, token } = await settle(service, 'ann');
const api = apiOf(service, token);
for (const name of names) {
  const { key_id } = await api('POST /v1/keys', { name });
  if (name.endsWith('0')) await api('POST /v1/keys/:key_id/disable', { key_id });
}
for (const name of names.slice(1)) await api('POST /v1/api-keys', { name, permissions: ['keys.read'] });

test('the pages of keys and API keys together have each row once, the newest first', async () => {
  const [keys, apiKeys, disabled]: [string[], string[], string[]] = [[], [], []];
  for (let offset = 0; offset < names.length; offset += 7) {
    const page = { limit: 7, offset };
    keys.push(...(await api('GET /v1/keys', page)).keys.map(({ name }) => name));
    apiKeys.push(...(await api('GET /v1/api-keys', page)).api_keys.map(({ name }) => name));
    disabled.push(
      ...(await api('GET /v1/keys', { ...page, status: 'disabled' })).keys.map(({ name }) => name),
    );
  }
  expect(keys).toEqual(newestFirst);
  expect(apiKeys).toEqual([...newestFirst.slice(0, -1), 'everything']);
  expect(disabled).toEqual(['key 20', 'key 10', 'key 0']);
});

test('a tenant has at most two pages in memory that are not shown yet', async () => {
  const replica = world.replica();
  const lists = () => apiOf(replica, token)('GET /v1/api-keys', {});
  await lists();
  const { turns } = replica.admission;
  const shown: (() => void)[] = [];
  const show = turns.run.bind(turns);
  vi.spyOn(turns, 'run').mockImplementation(async (...all) => {
    await new Promise<void>((resolve) => void shown.push(resolve));
    return show(...all);
  });
  const answers = Array.from({ length: 5 }, lists);
  for (const left of [5, 4, 3, 2, 1]) {
    await expect.poll(() => shown.length).toBe(Math.min(left, 2));
    shown.shift()?.();
  }
  expect((await Promise.all(answers)).map(({ count }) => count)).toEqual([30, 30, 30, 30, 30]);
});

test('a page of keys with a large offset reads `row_records` only for the keys of this page', async () => {
  const reads = await world.replica().database.snapshot(async (tx) => {
    const count = async (): Promise<number> => {
      const [row] = await tx<{ reads: number }[]>`
        select idx_scan + seq_scan as reads from pg_stat_xact_user_tables where relname = 'row_records'`;
      return row?.reads ?? 0;
    };
    const before = await count();
    await listKeys(tx, tenantId, { among: null }, { limit: 2, offset: 25 });
    return (await count()) - before;
  });
  expect(reads).toBe(2);
});
