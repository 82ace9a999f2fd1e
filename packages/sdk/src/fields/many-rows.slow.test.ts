import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { defineFields, field, unencrypted } from './fields.ts';

const fields = defineFields({
  users: {
    ...unencrypted('id'),
    name: field.text(),
    age: field.number({ context: 'field' }),
  },
});
const idOf = ({ id }: { readonly id: number }): number => id;
const users = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, name: `name ${id}`, age: id }));

test('10,000 rows under 1,000 data keys are decrypted with one request', async () => {
  const { service, client, make } = observedClient();
  const writer = fields.for(client);
  const rows = users(10_000);
  const tens = Array.from({ length: 1_000 }, (_, ten) => rows.slice(ten * 10, ten * 10 + 10));
  const stored = await Promise.all(
    tens.map((ten, index) => writer.encryptRows('users', ten, idOf, { scope: `${index}` })),
  );
  const reader = fields.for(make());
  const before = service.requests.length;
  expect(await reader.decryptRows('users', stored.flat(), idOf)).toEqual(rows);
  expect(service.requests.slice(before)).toEqual([
    { route: 'POST /v1/batch/unwrap', status: 200, items: 1_000 },
  ]);
});

test('decryptRows unwraps each data key once, even if the cache cannot hold all data keys', async () => {
  const { service, client, make } = observedClient();
  const rows = users(1_500).map(({ id, name }) => ({ id, name }));
  const writer = fields.for(client);
  const stored = await Promise.all(
    rows.map((row) => writer.encryptRow('users', row.id, row, { scope: `${row.id % 300}` })),
  );
  const reader = fields.for(make({ cache: 'serverless' }));
  const before = service.requests.length;
  expect(await reader.decryptRows('users', stored, idOf)).toEqual(rows);
  expect(service.requests.slice(before)).toEqual([
    { route: 'POST /v1/batch/unwrap', status: 200, items: 300 },
  ]);
});
