import { InputError } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { endOf, simulatedClock, tableOf } from '../../test/simulated-table.ts';
import { inventory, reencrypt, type Store, storedValues } from './reencrypt.ts';

test('if `read` returns fewer rows than the limit, a row that is not returned does not count as deleted', async () => {
  const { client } = observedClient();
  const table = tableOf(['a', 'b', 'c']);
  const read = ({ after, limit }: { after: number | undefined; limit: number }) =>
    table.store.read({ after, limit: Math.min(limit, 2) });
  table.store.meanwhile = () => {
    if (table.rows.size === 3) table.set(1.5, { email: 'd' });
    table.set(2, { email: 'b, changed' });
  };
  const options = { mode: 'encrypt', to: {}, clock: simulatedClock(), concurrency: 1 } as const;
  const last = await endOf(reencrypt(client, { ...table.store, read }, options));
  expect(table.email(2)).toBe('b, changed');
  expect(last).toMatchObject({ conflicted: 1, done: false });
});

test('a deleted row at the end of the table does not count as a conflict', async () => {
  const { client } = observedClient();
  const table = tableOf(['a', 'b', 'c']);
  table.store.meanwhile = () => void table.remove(3);
  const options = { mode: 'encrypt', to: {}, clock: simulatedClock(), concurrency: 1 } as const;
  const last = await endOf(reencrypt(client, table.store, options));
  expect(last).toMatchObject({ rewritten: 2, skipped: 1, conflicted: 0, done: true });
});

test.each([
  [
    'undefined',
    { id: undefined, values: {} },
    '`id` of a row that `read` returns must be a string, a number',
  ],
  ['null', { id: null, values: {} }, '(got null)'],
  ['a bigint', { id: 1n, values: {} }, '(got a bigint)'],
  ['NaN', { id: Number.NaN, values: {} }, '(got NaN)'],
  ['a row without `values`', { id: 1 }, 'the `values` of a row that `read` returns must be an object'],
  ['a row that is null', null, 'a row that `read` returns must be an object (got null)'],
])(
  'a run and an inventory throw InputError if `read` returns an id or a row that is %s',
  async (...given) => {
    const [, row, text] = given;
    const { client } = observedClient();
    let reads = 0;
    const read = async () => (++reads === 1 ? [row] : []);
    const store = { read, write: async () => true } as unknown as Store;
    await expect(endOf(reencrypt(client, store, { mode: 'rewrap' }))).rejects.toThrow(text);
    reads = 0;
    const counting = inventory(storedValues(store));
    await expect(counting).rejects.toThrow(text);
    await expect(counting).rejects.toBeInstanceOf(InputError);
  },
);

test('a run and an inventory throw InputError if `read` returns a row twice', async () => {
  const { client } = observedClient();
  const row = { id: 'a', values: { email: null } };
  const read = async () => [row, { ...row, id: 'b' }, row];
  const store = { read, write: async () => true };
  const text = '`read` must return each row once';
  await expect(endOf(reencrypt(client, store, { mode: 'rewrap' }))).rejects.toThrow(text);
  await expect(inventory(storedValues(store))).rejects.toThrow(text);
});

test.each<[string, (limit: number) => object[]]>([
  [
    'must return each row once',
    () => [
      { id: 1, values: { email: 'a' } },
      { id: 1, values: { email: 'a' } },
    ],
  ],
  ['the `values` of a row', () => [{ id: 1 }]],
  ['the `id` of a row', (limit) => (limit === 1 ? [{ id: null, values: {} }] : [{ id: 1, values: {} }])],
])('a run throws InputError if `read` returns invalid rows after a conflict: %s', async (text, later) => {
  const { client } = observedClient();
  let reads = 0;
  const read = async ({ limit }: { limit: number }) => {
    if (++reads === 1) return [1, 2].map((id) => ({ id, values: { email: 'a' } }));
    return reads === 2 || limit === 1 ? later(limit) : [];
  };
  const store = { read, write: async () => false } as unknown as Store;
  const run = endOf(reencrypt(client, store, { mode: 'encrypt', to: {}, clock: simulatedClock() }));
  await expect(run).rejects.toThrow(text);
  await expect(run).rejects.toBeInstanceOf(InputError);
});

test.each<[string, object]>([
  ['`write` must be a boolean (got undefined)', { write: async () => undefined }],
  ['`write` must be a boolean (got a number)', { write: async () => 1 }],
  [
    '`writeMany` must be an array of ids, or `{ written, refused }` (got undefined)',
    { writeMany: async () => undefined },
  ],
])('a run throws InputError: the return value of %s', async (text, methods) => {
  const { client } = observedClient();
  const store = { read: async () => [{ id: 1, values: { email: 'a' } }], ...methods } as unknown as Store;
  const run = endOf(reencrypt(client, store, { mode: 'encrypt', to: {} }));
  await expect(run).rejects.toThrow(text);
  await expect(run).rejects.toBeInstanceOf(InputError);
});

test('a row that `writeMany` refuses counts as failed, with its message, and is not tried again', async () => {
  const { client } = observedClient();
  const rows = [1, 2].map((id) => ({ id, values: { email: 'a' } }));
  let writes = 0;
  const store = {
    read: async ({ after = 0 }: { after: number | undefined }) => rows.filter(({ id }) => id > after),
    async writeMany() {
      writes++;
      return { written: [1], refused: [{ id: 2, message: 'a constraint' }] };
    },
  } as unknown as Store;
  const seen = [];
  for await (const progress of reencrypt(client, store, { mode: 'encrypt', to: {} })) seen.push(progress);
  expect(seen[0]?.failures).toEqual([{ id: 2, code: 'store', message: 'a constraint' }]);
  expect(seen.at(-1)).toMatchObject({ rewritten: 1, failed: 1, done: false });
  expect(writes).toBe(1);
});
