import { expect, test } from 'vitest';
import { observedClient } from '../../../../test/sdk/observed-client.ts';
import { endOf, simulatedClock, tableOf } from '../../../../test/sdk/simulated-table.ts';
import { reencrypt } from './reencrypt.ts';

test('if `read` returns fewer rows than the limit, the missing rows do not count as deleted', async () => {
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
