import { toUtf8 } from '@eaas/protocol';
import { expect, test } from 'vitest';
import {
  clientOf,
  endOf,
  type Person,
  runThrough,
  serviceWithKey,
  tableOf,
} from '../../../../test/sdk/simulated-table.ts';
import { type Place, reencrypt, type ReencryptOptions, unfold } from './reencrypt.ts';

const contextOf = ({ row, field }: Place<Person>) => ({ context: { row: String(row.id), field } });

test('plaintexts become envelopes, each with the context of its place; envelopes and NULL stay', async () => {
  const { client } = serviceWithKey();
  const before = await client.encrypt('b@example.com', { context: { row: '2', field: 'email' } });
  const table = tableOf(['a@example.com', before.ciphertext, null, '']);
  table.set(1, { phone: '555 1' });
  const last = await endOf(reencrypt(client, table.store, { mode: 'encrypt', to: contextOf }));
  expect(last).toMatchObject({ seen: 4, rewritten: 2, skipped: 2, done: true });
  expect(await client.decryptText(table.email(1), { context: { row: '1', field: 'email' } })).toBe(
    'a@example.com',
  );
  const phone = String(table.rows.get(1)?.values.phone);
  expect(await client.decryptText(phone, { context: { row: '1', field: 'phone' } })).toBe('555 1');
  expect(table.email(2)).toBe(before.ciphertext);
  expect(table.rows.get(3)?.values.email).toBeNull();
  expect(await client.decryptText(table.email(4), { context: { row: '4', field: 'email' } })).toBe('');
});

test('text stays text and bytes stay bytes, whatever is done to them', async () => {
  const { client, keyId } = serviceWithKey();
  const bytes = Uint8Array.of(0, 255, 7);
  const table = tableOf(['text', bytes]);
  const to = { keyId };
  const plans: ReencryptOptions<Person>[] = [
    { mode: 'encrypt', to },
    { mode: 'rewrap' },
    { mode: 'reencrypt', to },
  ];
  for (const plan of plans) {
    await client.keys.rotate({ key_id: keyId });
    expect(await endOf(reencrypt(client, table.store, plan))).toMatchObject({ rewritten: 2, done: true });
    expect(await client.decryptText(table.email(1))).toBe('text');
    const stored = table.rows.get(2)?.values.email;
    expect(stored).toBeInstanceOf(Uint8Array);
    expect(await client.decrypt(stored as Uint8Array)).toEqual(bytes);
  }
});

test('a ciphertext that a binary column answers as bytes of text stays one, in that form', async () => {
  const { client, keyId } = serviceWithKey();
  const { ciphertext } = await client.encrypt('a@example.com');
  const table = tableOf([toUtf8(ciphertext)]);
  const stored = () => new TextDecoder().decode(table.rows.get(1)?.values.email as Uint8Array);
  expect(await endOf(reencrypt(client, table.store, { mode: 'encrypt', to: {} }))).toMatchObject({
    skipped: 1,
  });
  expect(stored()).toBe(ciphertext);
  await client.keys.rotate({ key_id: keyId });
  for (const plan of [{ mode: 'rewrap' }, { mode: 'reencrypt', to: {} }] as const) {
    expect(await endOf(reencrypt(client, table.store, plan))).toMatchObject({ rewritten: 1, done: true });
    expect(await client.decryptText(stored())).toBe('a@example.com');
  }
});

test.each([' ', '\n', '\0'])(
  'a ciphertext with %j behind it is a failure, and not encrypted again',
  async (end) => {
    const { client } = serviceWithKey();
    const { ciphertext } = await client.encrypt('a@example.com');
    const table = tableOf([ciphertext + end]);
    const [page] = await runThrough(reencrypt(client, table.store, { mode: 'encrypt', to: {} }));
    expect(page).toMatchObject({ failed: 1, failures: [{ id: 1, code: 'format' }] });
    expect(table.email(1)).toBe(ciphertext + end);
  },
);

test('a plaintext that begins like an envelope is encrypted; an envelope that was cut short is not', async () => {
  const { client } = serviceWithKey();
  const { ciphertext } = await client.encrypt('whole');
  const table = tableOf(['eaas@example.com', ciphertext.slice(0, 96)]);
  const [page] = await runThrough(reencrypt(client, table.store, { mode: 'encrypt', to: {} }));
  expect(await client.decryptText(table.email(1))).toBe('eaas@example.com');
  expect(table.email(2)).toBe(ciphertext.slice(0, 96));
  expect(page).toMatchObject({
    rewritten: 1,
    failed: 1,
    failures: [{ id: 2, field: 'email', code: 'format' }],
  });
});

test('scopes keep data keys apart, as they do for the application', async () => {
  const { client, service } = serviceWithKey();
  const table = tableOf(['a', 'b', 'c', 'd']);
  const to = ({ row }: Place<Person>) => ({ scope: `customer ${row.id % 2}` });
  await endOf(reencrypt(client, table.store, { mode: 'encrypt', to }));
  const wrappedKeys = [1, 2, 3, 4].map((id) => unfold(table.email(id)).wrapped_key);
  expect(wrappedKeys[0]).toBe(wrappedKeys[2]);
  expect(wrappedKeys[1]).toBe(wrappedKeys[3]);
  expect(wrappedKeys[0]).not.toBe(wrappedKeys[1]);
  expect(service.requests).toMatchObject([{ route: 'POST /v1/batch/wrap', items: 2 }]);
});

test('to another key: everything moves once, and is known for done by its header', async () => {
  const { client, service, keyId } = serviceWithKey();
  const { key_id: next } = service.createKey('next');
  const emails = await Promise.all(['a', 'b'].map((text) => client.encrypt(text)));
  const table = tableOf(emails.map(({ ciphertext }) => ciphertext));
  const options = { mode: 'reencrypt', from: { keyId }, to: { keyId: next } } as const;
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ rewritten: 2, done: true });
  expect(await client.decryptText(table.email(1), { keyId: next })).toBe('a');
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ skipped: 2, done: true });
});

test('to another context: what has it already opens by it, and is left', async () => {
  const { client } = serviceWithKey();
  const table = tableOf([(await client.encrypt('a')).ciphertext]);
  const options = { mode: 'reencrypt', from: {}, to: contextOf } as const;
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ rewritten: 1, done: true });
  const stored = table.email(1);
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ skipped: 1, done: true });
  expect(table.email(1)).toBe(stored);
});

test('under new data keys: those under the named version are done', async () => {
  const { client, keyId } = serviceWithKey({ cache: { encrypt: false } });
  const table = tableOf([(await client.encrypt('a')).ciphertext]);
  await client.keys.rotate({ key_id: keyId });
  const options = { mode: 'reencrypt', to: { keyId }, keyVersion: 2 } as const;
  const before = table.email(1);
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ rewritten: 1, done: true });
  expect(table.email(1).slice(-20)).not.toBe(before.slice(-20));
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ skipped: 1, done: true });
});

test('a data key that is still in memory from before the rotation makes failures, not values under the old version', async () => {
  const { client, keyId } = serviceWithKey();
  const table = tableOf([(await client.encrypt('a')).ciphertext]);
  await client.keys.rotate({ key_id: keyId });
  const options = { mode: 'reencrypt', to: { keyId }, keyVersion: 2 } as const;
  const [page] = await runThrough(reencrypt(client, table.store, options));
  expect(page).toMatchObject({ rewritten: 0, failures: [{ id: 1, code: 'key_version' }] });
});

test('what does not open, or is no envelope, is a failure; the row’s other field is written all the same', async () => {
  const { client, service, keyId } = serviceWithKey();
  const { key_id: next } = service.createKey('next');
  const other = service.createKey('other').key_id;
  const { ciphertext: good } = await client.encrypt('a');
  const { ciphertext: foreign } = await client.encrypt('b', { keyId: other });
  const table = tableOf([good, 'plain']);
  table.set(1, { phone: foreign });
  const options = { mode: 'reencrypt', from: { keyId }, to: { keyId: next } } as const;
  const [page] = await runThrough(reencrypt(client, table.store, options));
  expect(page?.failures).toMatchObject([
    { id: 1, field: 'phone', code: 'decryption' },
    { id: 2, field: 'email', code: 'format' },
  ]);
  expect(page).toMatchObject({ seen: 2, rewritten: 0, failed: 2 });
  expect(await client.decryptText(table.email(1), { keyId: next })).toBe('a');
  expect(table.rows.get(1)?.values.phone).toBe(foreign);
});

test('without a key to encrypt under the run ends, and says why', async () => {
  const { service } = serviceWithKey();
  const run = endOf(
    reencrypt(clientOf(service), tableOf(['a']).store, { mode: 'encrypt', to: {}, maxFailures: 0 }),
  );
  await expect(run).rejects.toThrow('name the key to use');
});

test('with `verify` each data key is unwrapped once by the service before it replaces plaintexts', async () => {
  const { client, service } = serviceWithKey();
  const table = tableOf(['a', 'b', 'c', 'd', 'e']);
  await endOf(reencrypt(client, table.store, { mode: 'encrypt', to: {}, verify: true, pageSize: 2 }));
  expect(service.requests.filter(({ route }) => route?.endsWith('/unwrap'))).toHaveLength(1);
  expect(await client.decryptText(table.email(5))).toBe('e');
});

test('with `verify` an envelope that does not open to the plaintext replaces nothing', async () => {
  const { client } = serviceWithKey();
  const table = tableOf(['a', 'b']);
  const other = await client.encryptMany(['x', 'y']);
  const lying = {
    encryptMany: async () => other,
    decryptMany: client.decryptMany.bind(client),
    rewrapMany: client.rewrapMany.bind(client),
    unwrap: client.unwrap.bind(client),
  };
  const last = await endOf(reencrypt(lying, table.store, { mode: 'encrypt', to: {}, verify: true }));
  expect(last).toMatchObject({ failed: 2, rewritten: 0 });
  expect([table.email(1), table.email(2)]).toEqual(['a', 'b']);
});

test("where `to` names no key it is the client's: values of another are moved, whatever their version, and once", async () => {
  const { client, service, keyId: old } = serviceWithKey();
  const next = clientOf(service, { keyId: service.createKey('next').key_id });
  await client.keys.rotate({ key_id: old });
  const { ciphertext } = await client.encrypt('a@example.com');
  const table = tableOf([ciphertext]);
  const plan = { mode: 'reencrypt', from: { keyId: old }, to: {} } as const;
  const versioned = await endOf(reencrypt(next, table.store, { ...plan, keyVersion: 2 }));
  // The other key has no version 2 yet.
  expect(versioned).toMatchObject({ failed: 1, done: false });
  expect(await endOf(reencrypt(next, table.store, plan))).toMatchObject({ rewritten: 1, done: true });
  expect(await next.decryptText(table.email(1))).toBe('a@example.com');
  expect(await endOf(reencrypt(next, table.store, plan))).toMatchObject({ skipped: 1, done: true });
});
