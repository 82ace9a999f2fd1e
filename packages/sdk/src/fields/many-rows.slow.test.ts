import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { defineFields, field, unencrypted } from './fields.ts';

const fields = defineFields({
  users: {
    ...unencrypted('id'),
    email: field.text().searchable(),
    name: field.text(),
    age: field.number({ context: 'field' }),
  },
});
const idOf = ({ id }: { readonly id: number }): number => id;
const users = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, email: `${id}@example.com`, name: `name ${id}`, age: id }));

test('10,000 rows under 1,000 data keys are decrypted with one request', async () => {
  const { service, client, make } = observedClient();
  const writer = fields.for(client, { index: 'service' });
  const rows = users(10_000).map(({ id, name, age }) => ({ id, name, age }));
  const tens = Array.from({ length: 1_000 }, (_, ten) => rows.slice(ten * 10, ten * 10 + 10));
  const stored = await Promise.all(
    tens.map((ten, index) => writer.encryptRows('users', ten, idOf, { scope: `${index}` })),
  );
  const reader = fields.for(make(), { index: 'service' });
  const before = service.requests.length;
  expect(await reader.decryptRows('users', stored.flat(), idOf)).toEqual(rows);
  expect(service.requests.slice(before)).toEqual([
    { route: 'POST /v1/batch/unwrap', status: 200, items: 1_000 },
  ]);
});

test('decryptRows unwraps each data key once, even if the cache cannot hold all data keys', async () => {
  const { service, client, make } = observedClient();
  const rows = users(1_500).map(({ id, name }) => ({ id, name }));
  const writer = fields.for(client, { index: 'service' });
  const stored = await Promise.all(
    rows.map((row) => writer.encryptRow('users', row.id, row, { scope: `${row.id % 300}` })),
  );
  const reader = fields.for(make({ cache: 'serverless' }), { index: 'service' });
  const before = service.requests.length;
  expect(await reader.decryptRows('users', stored, idOf)).toEqual(rows);
  expect(service.requests.slice(before)).toEqual([
    { route: 'POST /v1/batch/unwrap', status: 200, items: 300 },
  ]);
});

test('decryptRows with `settled` returns a result or an error for each row', async () => {
  const { client } = observedClient();
  const records = fields.for(client, { index: 'service' });
  const [first, second, third] = await records.encryptRows('users', users(3), idOf);
  if (!first || !second || !third) throw new Error('three rows');
  const mixed = [first, { ...second, name: third.name, email: third.email }, { ...third, age: 'plain' }];
  const settled = await records.decryptRows('users', mixed, idOf, { settled: true });
  expect(settled.map(({ ok }) => ok)).toEqual([true, false, false]);
  expect(settled[0]).toEqual({ ok: true, value: users(1)[0] });
  expect(settled[1]).toMatchObject({ error: { code: 'decryption', field: 'email', row: '1' } });
  expect(settled[2]).toMatchObject({ error: { code: 'format', field: 'age', row: '2' } });
});

test('each field is encrypted under its own keys and refuses ciphertexts under other keys', async () => {
  const { service, client, keyId } = observedClient();
  const { key_id: emails } = service.createKey('emails');
  const { key_id: people } = service.createKey('people');
  const keyIds = { users: people, 'users.email': [emails.toUpperCase(), keyId] };
  const records = fields.for(client, { index: 'service', keyIds });
  const row = { email: 'ada@example.com', name: 'Ada' };
  const stored = await records.encryptRow('users', 1, row);
  const keyOf = (envelope: string): string => Buffer.from(envelope, 'base64').subarray(4, 20).toString('hex');
  expect([stored.email, stored.name].map(keyOf)).toEqual(
    [emails, people].map((id) => id.replaceAll('-', '')),
  );
  expect(await records.decryptRow('users', 1, stored)).toEqual(row);
  const before = await fields.for(client, { index: 'service' }).encryptRow('users', 1, row);
  expect(await records.decryptRow('users', 1, { email: before.email })).toEqual({ email: row.email });
  await expect(records.decryptRow('users', 1, { name: before.name })).rejects.toThrow(
    'users.name of row 1: decryption failed',
  );
});
