import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { createIndexKey, defineFields, field, FieldError, type Normalization } from './fields.ts';

const fields = defineFields({
  users: {
    lowEntropy: 'accepted',
    email: field.text().searchable({ normalize: ['trim', 'lowercase'] }),
    phone: field.text().searchable({ normalize: ['digits'], column: 'phone_mark' }),
  },
});

test('the functions and names of a normalization are applied in their order', async () => {
  const { client } = await observedClient();
  const normalize: Normalization[] = ['trim', (given) => `${given}!`, 'lowercase'];
  const [plain, normalized] = [field.text().searchable(), field.text().searchable({ normalize })].map((f) =>
    defineFields({ t: { f } }).for(client, { index: 'service' }),
  );
  expect(await normalized?.where('t', { f: ' A ' })).toEqual(await plain?.where('t', { f: 'a!' }));
});

test('a search uses a fingerprint under each key and index key, but a stored row has only one fingerprint', async () => {
  const { client, service, keyId } = await observedClient();
  const { key_id: newKey } = await service.createKey('new');
  const token = await createIndexKey(client);
  const row = { email: 'ada@example.com' };
  const written = async (index: string, key: string) => {
    const records = fields.for(client, { index, keyIds: { users: key } });
    return (await records.encryptRow('users', 1, row)).email_index;
  };
  const all = fields.for(client, { index: [token, 'service'], keyIds: { users: [newKey, keyId] } });
  const { email_index } = await all.where('users', row);
  const newest = await written(token, newKey);
  const older = [await written('service', newKey), await written('service', keyId)];
  expect(email_index).toEqual([newest, ...older].map(String).toSorted());
  expect((await all.encryptRow('users', 1, row)).email_index).toBe(newest);
});

test('a value that is empty after normalization is stored without a fingerprint', async () => {
  const { client, service } = await observedClient();
  const records = fields.for(client, { index: 'service' });
  const rows = [
    { phone: 'n/a', email: '' },
    { phone: '', email: 'Ada' },
    { phone: '020 7946', email: null },
  ];
  const stored = await records.encryptRows('users', rows, () => 1);
  const fingerprint: unknown = expect.stringMatching(/^[\da-f]{64}$/);
  expect(stored.map(({ phone_mark, email_index }) => [phone_mark, email_index])).toEqual([
    [null, null],
    [null, fingerprint],
    [fingerprint, null],
  ]);
  expect(service.requests.find(({ route }) => route === 'POST /v1/batch/hash')?.items).toBe(2);
  expect(await records.decryptRows('users', stored, () => 1)).toEqual(rows);
});

test('a search for a value that is empty after normalization throws `no_fingerprint`', async () => {
  const { client, service } = await observedClient();
  const search = fields.for(client, { index: 'service' }).where('users', { phone: 'n/a' });
  await expect(search).rejects.toBeInstanceOf(FieldError);
  await expect(search).rejects.toMatchObject({
    code: 'no_fingerprint',
    table: 'users',
    field: 'phone',
    message:
      'users.phone: the value to search for must not be empty after normalization: search for a longer text',
  });
  expect(service.requests).toEqual([]);
});

test.each([
  ['no field', {}, 'the query must name at least one field'],
  ['null', { email: null }, 'users.email: the value to search for must not be null or undefined'],
  ['an unknown field', { nmae: 'Ada' }, 'did you mean `name`?'],
  ['a field without an index', { name: 'Ada' }, 'users.name: the field is not searchable'],
  ['a value of another type', { email: 5 }, 'users.email: expected a string'],
])('`where` throws for a query with %s', async (_, query, message) => {
  const { client } = await observedClient();
  const columns = { email: field.text().searchable(), name: field.text() };
  const records = defineFields({ users: columns }).for(client, { index: 'service' });
  await expect(records.where('users', query as never)).rejects.toThrow(message);
});

test('a function in `normalize` that returns no string is refused, in rows and in searches', async () => {
  const login = field.text().searchable({ normalize: [() => undefined as never] });
  const records = defineFields({ users: { login } }).for((await observedClient()).client, {
    index: 'service',
  });
  const expected = 'expected each function in `normalize` to return a string, got undefined';
  await expect(records.encryptRow('users', 1, { login: 'ada' })).rejects.toThrow(expected);
  await expect(records.where('users', { login: 'ada' })).rejects.toThrow(expected);
});
