import { defineFields, number, plaintext, text } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { endOf, runThrough, simulatedClock, tableOf } from '../../test/simulated-table.ts';
import { isEncrypted, reencrypt } from './reencrypt.ts';

test('a custom conversion can encrypt rows with `encryptRow`', async () => {
  const { client, service } = observedClient();
  const fields = defineFields({
    people: { email: text({ previous: plaintext() }), phone: number({ previous: plaintext(Number) }) },
  });
  const records = fields.for(client);
  const table = tableOf(['a@example.com', 'b@example.com', 'c@example.com']);
  const done = await records.encryptRow('people', 2, { email: 'b@example.com', phone: 2 });
  table.set(1, { phone: '1' });
  table.set(2, done);
  const before = service.requests.length;
  const last = await endOf(
    reencrypt(client, table.store, {
      mode: 'custom',
      async convert({ id, values: { email, phone } }) {
        if ([email, phone].every((value) => value === null || isEncrypted(value))) return undefined;
        const stored = { email: email as string, phone: phone as never };
        return records.encryptRow('people', id, await records.decryptRow('people', id, stored));
      },
    }),
  );
  expect(last).toMatchObject({ seen: 3, rewritten: 2, skipped: 1, done: true });
  expect(service.requests).toHaveLength(before);
  expect(table.rows.get(2)?.values).toEqual(done);
  const opened = await records.decryptRow('people', 1, table.rows.get(1)?.values as typeof done);
  expect(opened).toEqual({ email: 'a@example.com', phone: 1 });
});

test('only an SDK error that `convert` throws counts as a failure of the row', async () => {
  const { client } = observedClient();
  const records = defineFields({ people: { email: text() } }).for(client);
  const { email } = await records.encryptRow('people', 7, { email: 'of another row' });
  const table = tableOf([email, 'x']);
  const convert = async ({ id, values }: { id: number; values: { email: unknown } }) => {
    if (values.email === 'x') return { email: (await client.encrypt('x')).ciphertext };
    return records.decryptRow('people', id, { email: values.email as string });
  };
  const [page] = await runThrough(reencrypt(client, table.store, { mode: 'custom', convert }));
  expect(page).toMatchObject({ rewritten: 1, failures: [{ id: 1, field: 'email', code: 'decryption' }] });
  const mistaken = async () => Promise.reject(new TypeError('not of ours'));
  const run = endOf(reencrypt(client, table.store, { mode: 'custom', convert: mistaken }));
  await expect(run).rejects.toThrow('not of ours');
});

test('a custom conversion is retried while the service is unavailable', async () => {
  const { client, service } = observedClient({ retries: 0 });
  service.failNext('unavailable', { times: 2 });
  const clock = simulatedClock();
  const convert = async () => ({ email: (await client.encrypt('x')).ciphertext });
  const last = await endOf(reencrypt(client, tableOf(['x']).store, { mode: 'custom', convert, clock }));
  expect(last).toMatchObject({ rewritten: 1, done: true });
  expect(clock.slept).toEqual([1_000, 2_000]);
});

test('a custom conversion refuses `verify`', async () => {
  const { client } = observedClient();
  const options = { mode: 'custom', convert: async () => undefined, verify: true } as const;
  const run = endOf(reencrypt(client, tableOf(['a']).store, options));
  await expect(run).rejects.toThrow('`verify` is not available in the mode `custom`');
});

test('a custom conversion writes no column for which it returns undefined', async () => {
  const { client } = observedClient();
  const table = tableOf(['a@example.com', 'b@example.com']);
  table.set(1, { phone: '1' });
  const convert = async ({ id }: { id: number }) => ({ email: undefined, ...(id === 1 && { phone: '2' }) });
  const last = await endOf(reencrypt(client, table.store, { mode: 'custom', convert }));
  expect(last).toMatchObject({ rewritten: 1, skipped: 1, done: true });
  expect(table.writes).toMatchObject([{ id: 1, values: { email: 'a@example.com', phone: '2' } }]);
});
