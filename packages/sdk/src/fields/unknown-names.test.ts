import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { InputError } from '../index.ts';
import { createIndexKey, defineFields, field, unencrypted } from './fields.ts';

async function openFields() {
  const { client, keyId, service } = await observedClient();
  const fields = defineFields({
    users: {
      ...unencrypted('id'),
      name: field.text().searchable(),
      nick: field.text({ context: 'field' }),
    },
  });
  return { client, keyId, service, fields, records: fields.for(client, { index: 'service' }) };
}

type Opened = Awaited<ReturnType<typeof openFields>>;
const idOf = () => 1;
const any = (value: unknown) => value as never;

const wrong = any({ wrong: 1 });

test.each<[string, (opened: Opened) => unknown, string]>([
  ['text', () => field.text(wrong), '`text` has no option `wrong`'],
  ['number.searchable', () => field.number().searchable(wrong), '`searchable` has no option `wrong`'],
  ['boundTo', () => field.text().searchable({ boundTo: wrong }), '`boundTo` has no option `wrong`'],
  ['for', ({ fields, client }) => fields.for(client, wrong), '`for` has no option `wrong`'],
  ['encryptRow', ({ records }) => records.encryptRow('users', 1, {}, wrong), 'no option `wrong`'],
  ['decryptRow', ({ records }) => records.decryptRow('users', 1, {}, wrong), 'no option `wrong`'],
  ['where', ({ records }) => records.where('users', { name: 'a' }, wrong), 'no option `wrong`'],
  ['createIndexKey', ({ client }) => createIndexKey(client, wrong), 'no option `wrong`'],
  ['a query', ({ records }) => records.where('users', any({ nmae: 'Ada' })), 'did you mean `name`?'],
])('%s refuses an unknown name', async (_, call, message) => {
  const opened = await openFields();
  const work = (async () => call(opened))();
  await expect(work).rejects.toBeInstanceOf(InputError);
  await expect(work).rejects.toThrow(message);
  expect(opened.service.requests).toEqual([]);
});

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
