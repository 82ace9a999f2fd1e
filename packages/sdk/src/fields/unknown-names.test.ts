import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { InputError } from '../index.ts';
import { defineFields, field, unencrypted } from './fields.ts';

async function openFields() {
  const { client, service } = await observedClient();
  const fields = defineFields({ users: { ...unencrypted('id'), name: field.text() } });
  return { service, records: fields.for(client) };
}

const idOf = () => 1;

test('a column that is not defined is refused, because it would be stored as plaintext', async () => {
  const { records, service } = await openFields();
  await expect(records.encryptRow('users', 1, { name: 'x', nmae: 'Ada' } as never)).rejects.toThrow(
    "the column `users.nmae` is not defined: did you mean `name`? Otherwise list it with unencrypted('nmae')",
  );
  await expect(records.encryptRow('users', 1, { city: 'London' } as never)).rejects.toThrow(
    "the column `users.city` is not defined: list it with unencrypted('city')",
  );
  const rows = [{ name: 'Ada' }, { name: 'Bob', zip: 1 }];
  await expect(records.encryptRows('users', rows as never, idOf)).rejects.toThrow(
    '`users.zip` is not defined',
  );
  expect(service.requests).toEqual([]);
});

test('a Promise in place of a row is refused, because its columns would be lost', async () => {
  const { records, service } = await openFields();
  const row = Promise.resolve({ name: 'Ada' }) as never;
  const refused = new InputError('a row must be an object with columns (got a Promise)');
  await expect(records.encryptRow('users', 1, row)).rejects.toThrow(refused);
  await expect(records.decryptRow('users', 1, row)).rejects.toThrow(refused);
  expect(service.requests).toEqual([]);
});
