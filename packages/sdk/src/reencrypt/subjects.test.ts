import { describe, expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { createIntake } from '../intake/intake.ts';
import { clientOf, endOf, headerIn, type Person, runThrough, tableOf } from '../../test/simulated-table.ts';
import { defineFields, text } from '../fields/fields.ts';
import {
  inventory,
  type Place,
  reencrypt,
  type ReencryptOptions,
  type Sealing,
  storedValues,
} from './reencrypt.ts';

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
      client.encrypt(`${row}@example.com`, { context: { row }, ...(row === '1' && { subject: row }) }),
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

describe('a value of an erased person', () => {
  /** Row 1 has its person, row 2 an erased one, and row 3 a value of nobody beside one of an erased person. */
  async function withErased() {
    const { client, keyId, service } = observedClient();
    const sealed = await client.encryptMany([
      { value: 'a', subject: '1' },
      { value: 'b', subject: '2' },
      { value: 'c', subject: '3' },
      { value: 'd' },
    ]);
    const [one, two, three, nobody] = sealed.map((each) => (each.ok ? each.value.ciphertext : null));
    const table = tableOf([one, two, three]);
    table.set(3, { phone: nobody });
    for (const subject of ['2', '3']) await client.subjects.erase({ subject });
    await client.keys.rotate({ key_id: keyId });
    const run = (plan: object) =>
      runThrough(
        reencrypt(clientOf(service, { keyId }), table.store, {
          pageSize: 1,
          ...plan,
        } as ReencryptOptions<Person>),
      );
    return { client, table, run };
  }
  const subject = ({ row }: Place<Person>) => String(row.id);
  const own = (place: Place<Person>) => (place.field === 'email' ? { subject: subject(place) } : {});

  test.each<[string, object]>([
    ['rewrap', { mode: 'rewrap', subject, verify: true }],
    ['reencrypt', { mode: 'reencrypt', to: own, keyVersion: 2 }],
  ])('counts apart in the mode `%s`, fails nothing, and stays as it is', async (_, plan) => {
    const { table, run } = await withErased();
    const before = [2, 3].map(table.email);
    const counts = { seen: 3, rewritten: 1, erased: 2, failed: 0, failures: [], done: true };
    expect((await run(plan)).at(-1)).toMatchObject(counts);
    expect([2, 3].map(table.email)).toEqual(before);
    expect(headerIn(String(table.rows.get(3)?.values.phone)).keyVersion).toBe(2);
    const { keys } = await inventory(storedValues(table.store));
    expect(keys[0]?.versions).toMatchObject([
      { key_version: 1, values: 2 },
      { key_version: 2, values: 2 },
    ]);
    expect((await run(plan)).at(-1)).toMatchObject({ rewritten: 0, erased: 2, done: true });
  });

  test('counts apart in the mode `custom` if the error of `convert` names its field', async () => {
    const { client, run } = await withErased();
    const records = defineFields({ people: { subject: 'id', email: text({ context: 'field' }) } }).for(
      client,
    );
    const convert = async ({ id, values: { email } }: Person) => {
      const row = { id, email: email as string };
      const { email: plain } = await records.decryptRow('people', id, row);
      return { email: (await records.encryptRow('people', id, { id, email: plain })).email };
    };
    const last = (await run({ mode: 'custom', convert })).at(-1);
    expect(last).toMatchObject({ seen: 3, erased: 2 });
  });

  test('is a failure while it can still be read: as a plaintext, or as a value of nobody', async () => {
    const { table, run } = await withErased();
    table.set(2, { email: 'b@example.com' });
    const encrypted = await run({ mode: 'encrypt', to: { subject: '2' } });
    expect(encrypted.at(-1)).toMatchObject({ failed: 1, erased: 0, done: false });
    const moved = await run({ mode: 'reencrypt', from: {}, to: { subject: '3' }, keyVersion: 2 });
    expect(moved.at(-1)).toMatchObject({ done: false });
    const failure = { id: 3, field: 'phone', code: 'subject_erased' };
    expect(moved.at(-1)?.failures).toContainEqual(expect.objectContaining(failure));
  });
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
