import { toUtf8 } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { clientOf, endOf, headerIn, type Person, runThrough, tableOf } from '../../test/simulated-table.ts';
import { type Place, reencrypt, type ReencryptOptions } from './reencrypt.ts';

const contextOf = ({ row, field }: Place<Person>) => ({ context: { row: String(row.id), field } });

test('a run encrypts each plaintext with the context of its row and column', async () => {
  const { client } = observedClient();
  const before = await client.encrypt('b@example.com', { context: { row: '2', field: 'email' } });
  const table = tableOf(['a@example.com', before.ciphertext, null, '']);
  table.set(1, { phone: '555 1' });
  const last = await endOf(reencrypt(client, table.store, { mode: 'encrypt', to: contextOf }));
  expect(last).toMatchObject({ seen: 4, rewritten: 2, skipped: 2, done: true });
  expect(await client.decrypt(table.email(1), { as: 'text', context: { row: '1', field: 'email' } })).toBe(
    'a@example.com',
  );
  const phone = String(table.rows.get(1)?.values.phone);
  expect(await client.decrypt(phone, { as: 'text', context: { row: '1', field: 'phone' } })).toBe('555 1');
  expect(table.email(2)).toBe(before.ciphertext);
  expect(table.rows.get(3)?.values.email).toBeNull();
  expect(await client.decrypt(table.email(4), { as: 'text', context: { row: '4', field: 'email' } })).toBe(
    '',
  );
});

test('every mode replaces text with text and bytes with bytes', async () => {
  const { client, keyId } = observedClient();
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
    expect(await client.decrypt(table.email(1), { as: 'text' })).toBe('text');
    const stored = table.rows.get(2)?.values.email;
    expect(stored).toBeInstanceOf(Uint8Array);
    expect(await client.decrypt(stored as Uint8Array)).toEqual(bytes);
  }
});

test('if a binary column contains base64, a run also stores new ciphertexts as base64', async () => {
  const { client, keyId } = observedClient();
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
    expect(await client.decrypt(stored(), { as: 'text' })).toBe('a@example.com');
  }
});

test.each([' ', '\n', '\0'])('a ciphertext that ends with %j is not converted', async (end) => {
  const { client } = observedClient();
  const { ciphertext } = await client.encrypt('a@example.com');
  const table = tableOf([ciphertext + end]);
  const [page] = await runThrough(reencrypt(client, table.store, { mode: 'encrypt', to: {} }));
  expect(page).toMatchObject({ failed: 1, failures: [{ id: 1, code: 'format' }] });
  expect(table.email(1)).toBe(ciphertext + end);
});

test('a run encrypts plaintext that begins like a ciphertext', async () => {
  const { client } = observedClient();
  const { ciphertext } = await client.encrypt('whole');
  const table = tableOf(['eaas@example.com', ciphertext.slice(0, 96)]);
  const [page] = await runThrough(reencrypt(client, table.store, { mode: 'encrypt', to: {} }));
  expect(await client.decrypt(table.email(1), { as: 'text' })).toBe('eaas@example.com');
  expect(table.email(2)).toBe(ciphertext.slice(0, 96));
  expect(page).toMatchObject({
    rewritten: 1,
    failed: 1,
    failures: [{ id: 2, field: 'email', code: 'format' }],
  });
});

test('a run encrypts values with different `scope` options under different data keys', async () => {
  const { client, service } = observedClient();
  const table = tableOf(['a', 'b', 'c', 'd']);
  const to = ({ row }: Place<Person>) => ({ scope: `customer ${row.id % 2}` });
  await endOf(reencrypt(client, table.store, { mode: 'encrypt', to }));
  const wrappedKeys = [1, 2, 3, 4].map((id) => headerIn(table.email(id)).wrappedKey);
  expect(wrappedKeys[0]).toBe(wrappedKeys[2]);
  expect(wrappedKeys[1]).toBe(wrappedKeys[3]);
  expect(wrappedKeys[0]).not.toBe(wrappedKeys[1]);
  expect(service.requests).toMatchObject([{ route: 'POST /v1/batch/wrap', items: 2 }]);
});

test('a second run skips values whose header shows the new key', async () => {
  const { client, service, keyId } = observedClient();
  const { key_id: next } = service.createKey('next');
  const emails = await Promise.all(['a', 'b'].map((text) => client.encrypt(text)));
  const table = tableOf(emails.map(({ ciphertext }) => ciphertext));
  const options = { mode: 'reencrypt', from: { keyId }, to: { keyId: next } } as const;
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ rewritten: 2, done: true });
  expect(await client.decrypt(table.email(1), { as: 'text', keyId: next })).toBe('a');
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ skipped: 2, done: true });
});

test('with `keyVersion`, a run to another key re-encrypts values under older versions of that key', async () => {
  const { client, service, keyId } = observedClient({ cache: { encrypt: false } });
  const { key_id: next } = service.createKey('next');
  const early = await client.encrypt('early', { keyId: next, context: { row: '1' } });
  await client.keys.rotate({ key_id: next });
  const late = await client.encrypt('late', { keyId: next, context: { row: '2' } });
  const old = await client.encrypt('old', { context: { user: '3' } });
  const foreign = await client.encrypt('foreign', { keyId: service.createKey('foreign').key_id });
  const table = tableOf([early, late, old, foreign].map(({ ciphertext }) => ciphertext));
  const options = {
    mode: 'reencrypt',
    from: ({ row }: Place<Person>) => ({ keyId, context: { user: String(row.id) } }),
    to: ({ row }: Place<Person>) => ({ keyId: next.toUpperCase(), context: { row: String(row.id) } }),
    keyVersion: 2,
  } as const;
  const [page] = await runThrough(reencrypt(client, table.store, options));
  expect(page).toMatchObject({ rewritten: 2, skipped: 1, failures: [{ id: 4, code: 'decryption' }] });
  const versions = [1, 2, 3].map((id) => headerIn(table.email(id)).keyVersion);
  expect(versions).toEqual([2, 2, 2]);
  for (const [id, text] of [
    [1, 'early'],
    [2, 'late'],
    [3, 'old'],
  ] as const) {
    const opening = { as: 'text', keyId: next, context: { row: String(id) } } as const;
    expect(await client.decrypt(table.email(id), opening)).toBe(text);
  }
  expect(table.email(2)).toBe(late.ciphertext);
  const again = await endOf(reencrypt(client, table.store, options));
  expect(again).toMatchObject({ rewritten: 0, skipped: 3, failed: 1 });
});

test('a run does not change values that can already be decrypted with the new context', async () => {
  const { client } = observedClient();
  const table = tableOf([(await client.encrypt('a')).ciphertext]);
  const options = { mode: 'reencrypt', from: {}, to: contextOf } as const;
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ rewritten: 1, done: true });
  const stored = table.email(1);
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ skipped: 1, done: true });
  expect(table.email(1)).toBe(stored);
});

test('a run refuses the context null, as `encrypt` does', async () => {
  const { client } = observedClient();
  const table = tableOf([(await client.encrypt('a', { context: { row: '1' } })).ciphertext]);
  const none = { context: null } as unknown as { context: undefined };
  const options = { mode: 'reencrypt', from: { context: { row: '1' } }, to: none } as const;
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({
    failed: 1,
    failures: [{ code: 'input' }],
  });
});

test('a run does not change values whose data key was wrapped under `keyVersion`', async () => {
  const { client, keyId } = observedClient({ cache: { encrypt: false } });
  const table = tableOf([(await client.encrypt('a')).ciphertext]);
  await client.keys.rotate({ key_id: keyId });
  const options = { mode: 'reencrypt', to: { keyId }, keyVersion: 2 } as const;
  const before = table.email(1);
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ rewritten: 1, done: true });
  expect(table.email(1).slice(-20)).not.toBe(before.slice(-20));
  expect(await endOf(reencrypt(client, table.store, options))).toMatchObject({ skipped: 1, done: true });
});

test('a re-encryption reports a failure if a new data key was wrapped under a version below `keyVersion`', async () => {
  const { client, keyId } = observedClient();
  const table = tableOf([(await client.encrypt('a')).ciphertext]);
  await client.keys.rotate({ key_id: keyId });
  const options = { mode: 'reencrypt', to: { keyId }, keyVersion: 2 } as const;
  const [page] = await runThrough(reencrypt(client, table.store, options));
  expect(page).toMatchObject({ rewritten: 0, failures: [{ id: 1, code: 'key_version' }] });
});

test('a value that cannot be decrypted does not prevent the conversion of the other fields of its row', async () => {
  const { client, service, keyId } = observedClient();
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
  expect(await client.decrypt(table.email(1), { as: 'text', keyId: next })).toBe('a');
  expect(table.rows.get(1)?.values.phone).toBe(foreign);
});

test('a run without a key throws an error that asks for the key', async () => {
  const { service } = observedClient();
  const run = endOf(
    reencrypt(clientOf(service), tableOf(['a']).store, { mode: 'encrypt', to: {}, maxFailures: 0 }),
  );
  await expect(run).rejects.toThrow('`keyId` is missing');
});

test('before a run with `verify` replaces plaintexts, the service unwraps each new data key once', async () => {
  const { client, service } = observedClient();
  const table = tableOf(['a', 'b', 'c', 'd', 'e']);
  await endOf(reencrypt(client, table.store, { mode: 'encrypt', to: {}, verify: true, pageSize: 2 }));
  expect(service.requests.filter(({ route }) => route?.endsWith('/unwrap'))).toHaveLength(1);
  expect(await client.decrypt(table.email(5), { as: 'text' })).toBe('e');
});

test('with `verify`, a re-encryption writes no ciphertext that decrypts to another plaintext', async () => {
  const { client } = observedClient();
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

test("if `to` contains no key, a run re-encrypts values under the client's key", async () => {
  const { client, service, keyId: old } = observedClient();
  const next = clientOf(service, { keyId: service.createKey('next').key_id });
  await client.keys.rotate({ key_id: old });
  const { ciphertext } = await client.encrypt('a@example.com');
  const table = tableOf([ciphertext]);
  const plan = { mode: 'reencrypt', from: { keyId: old }, to: {} } as const;
  const versioned = await endOf(reencrypt(next, table.store, { ...plan, keyVersion: 2 }));
  expect(versioned).toMatchObject({ failed: 1, done: false });
  expect(await endOf(reencrypt(next, table.store, plan))).toMatchObject({ rewritten: 1, done: true });
  expect(await next.decrypt(table.email(1), { as: 'text' })).toBe('a@example.com');
  expect(await endOf(reencrypt(next, table.store, plan))).toMatchObject({ skipped: 1, done: true });
});

test.each<[string, unknown]>([
  ['a promise', async () => ({ context: { row: '1' } })],
  ['undefined', () => undefined],
  ['a Map', new Map([['context', { row: '1' }]])],
])('a run encrypts no value if `to` is or returns %s', async (_, to) => {
  const { client } = observedClient();
  const table = tableOf(['a@example.com']);
  const [page] = await runThrough(reencrypt(client, table.store, { mode: 'encrypt', to: to as object }));
  expect(page).toMatchObject({ rewritten: 0, failures: [{ id: 1, field: 'email', code: 'input' }] });
  expect(table.email(1)).toBe('a@example.com');
});

test('a run cannot resume with a newer `keyVersion`, because the earlier part of the run skipped older values', async () => {
  const { client, keyId } = observedClient();
  await client.keys.rotate({ key_id: keyId });
  const { ciphertext } = await client.encrypt('a@example.com');
  const table = tableOf([ciphertext, ciphertext]);
  const plan = { mode: 'reencrypt', to: { keyId }, pageSize: 1 } as const;
  const [half] = await runThrough(reencrypt(client, table.store, { ...plan, keyVersion: 2 }));
  const resumed = (keyVersion: number) =>
    endOf(reencrypt(client, table.store, { ...plan, keyVersion, resume: half }));
  await expect(resumed(3)).rejects.toThrow('`keyVersion` must be at most 2');
  expect(await resumed(2)).toMatchObject({ done: true, skipped: 2 });
});
