import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { createIntake } from '../intake/intake.ts';
import { clientOf, endOf, headerIn, type Person, tableOf } from '../../test/simulated-table.ts';
import { type Place, reencrypt, type ReencryptOptions, type Sealing } from './reencrypt.ts';

const names = ['1', '2', '3'];
const to = ({ row }: Place<Person>): Sealing => ({
  subject: String(row.id),
  context: { row: String(row.id) },
});
const from = ({ row }: Place<Person>) => ({ context: { row: String(row.id) } });

/** A table whose row 1 belongs to its person, and whose other rows belong to nobody. */
async function mixed() {
  const { client, keyId, service } = observedClient();
  const bundles = await Promise.all(
    names.map((row) =>
      client.encrypt(`${row}@example.com`, { context: { row }, subject: row === '1' ? row : undefined }),
    ),
  );
  const table = tableOf(bundles.map(({ ciphertext }) => ciphertext));
  const run = (plan: Partial<ReencryptOptions<Person>>) =>
    endOf(
      reencrypt(clientOf(service, { keyId }), table.store, {
        mode: 'reencrypt',
        to,
        verify: true,
        ...plan,
      } as ReencryptOptions<Person>),
    );
  const read = () =>
    Promise.all(
      names.map((row) =>
        clientOf(service, { keyId }).decrypt(table.email(Number(row)), {
          subject: row,
          context: { row },
          as: 'text',
        }),
      ),
    );
  return { client, keyId, service, table, run, read };
}

const emails = names.map((row) => `${row}@example.com`);

test('values of nobody become data of their people, each with a data key of their own', async () => {
  const { table, run, read } = await mixed();
  const first = table.email(1);
  expect(await run({ from })).toMatchObject({ rewritten: 2, skipped: 1, done: true });
  expect(table.email(1)).toBe(first);
  expect(await read()).toEqual(emails);
  expect(new Set(names.map((row) => headerIn(table.email(Number(row))).wrappedKey)).size).toBe(3);
  const writes = table.writes.length;
  expect(await run({ from })).toMatchObject({ rewritten: 0, skipped: 3, done: true });
  expect(await run({ keyVersion: 1 })).toMatchObject({ rewritten: 0, skipped: 3, done: true });
  expect(table.writes).toHaveLength(writes);
});

test.each([['from', { from }] as const, ['no `from`', {}] as const])(
  'after a rotation, a run with %s gives each person a fresh data key under the new version',
  async (_, plan) => {
    const { client, keyId, table, run, read } = await mixed();
    await client.keys.rotate({ key_id: keyId });
    expect(await run({ ...plan, keyVersion: 2 })).toMatchObject({ rewritten: 3, done: true });
    expect(await read()).toEqual(emails);
    const again = await run({ ...plan, keyVersion: 2 });
    expect(again).toMatchObject({ rewritten: 0, skipped: 3, done: true });
    expect(names.map((row) => headerIn(table.email(Number(row))).keyVersion)).toEqual([2, 2, 2]);
  },
);

test('a run moves the values of people to another key', async () => {
  const { client, service, table } = await mixed();
  const { key_id: keyId } = await client.keys.create({ name: 'next' });
  const plan = { mode: 'reencrypt', from, to: (place: Place<Person>) => ({ ...to(place), keyId }) } as const;
  const last = await endOf(
    reencrypt(client, table.store, { ...plan, from: (place) => ({ ...from(place), anyKey: true }) }),
  );
  expect(last).toMatchObject({ rewritten: 3, done: true });
  const reader = clientOf(service, { keyId });
  for (const row of names)
    expect(
      await reader.decrypt(table.email(Number(row)), { subject: row, context: { row }, as: 'text' }),
    ).toBe(`${row}@example.com`);
});

test('a value moves from one person to another', async () => {
  const { client, table, run } = await mixed();
  const other = { subject: 'other', context: { row: '1' } };
  table.remove(2);
  table.remove(3);
  const plan = { from: { subject: '1', context: { row: '1' } }, to: other };
  expect(await run(plan)).toMatchObject({ rewritten: 1, done: true });
  expect(await run(plan)).toMatchObject({ rewritten: 0, skipped: 1, done: true });
  expect(await client.decrypt(table.email(1), { ...other, as: 'text' })).toBe('1@example.com');
});

test('`rewrap` keeps the subject, and makes the value of an intake writer one of it', async () => {
  const { client, service } = observedClient();
  const { key_id: keyId } = await client.keys.create({ name: 'intake', intake: true });
  const { intakePublicKey } = await client.publicKey(keyId);
  const sent = await createIntake({ publicKey: String(intakePublicKey) }).encrypt('1@example.com');
  const owned = await client.encrypt('2@example.com', { keyId, subject: '2' });
  const plain = await client.encrypt('3@example.com', { keyId });
  await client.keys.rotate({ key_id: keyId });
  const table = tableOf([sent, owned, plain].map(({ ciphertext }) => ciphertext));
  const worker = clientOf(service, { keyId });
  const subject = ({ row }: Place<Person>) => String(row.id);
  const last = await endOf(reencrypt(worker, table.store, { mode: 'rewrap', subject, verify: true }));
  expect(last).toMatchObject({ rewritten: 3, done: true });
  const read = (id: number, more: object) =>
    clientOf(service, { keyId }).decrypt(table.email(id), { as: 'text', ...more });
  expect(await read(1, { subject: '1' })).toBe('1@example.com');
  expect(await read(2, { subject: '2' })).toBe('2@example.com');
  expect(await read(3, {})).toBe('3@example.com');
});
