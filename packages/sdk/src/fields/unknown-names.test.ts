import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { InputError } from '../index.ts';
import { createIndexKey, defineFields, field, rewrapIndexKey, unencrypted } from './fields.ts';

function openFields() {
  const { client, keyId, service } = observedClient();
  const fields = defineFields({
    users: {
      ...unencrypted('id'),
      name: field.text().searchable(),
      nick: field.text({ context: 'field' }),
    },
  });
  return { client, keyId, service, fields, records: fields.for(client, { index: 'service' }) };
}

async function errorOf(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error;
  }
}

type Opened = ReturnType<typeof openFields>;
const idOf = () => 1;
const any = (value: unknown) => value as never;

test.each<[string, (opened: Opened) => unknown, string]>([
  ['text', () => field.text(any({ contxt: 'field' })), '`contxt`: did you mean `context`?'],
  ['date', () => field.date(any({ previos: true })), '`previos`: did you mean `previous`?'],
  [
    'json',
    () => field.json(any({ allowCiphertext: true })),
    '`allowCiphertext`: did you mean `allowCiphertexts`?',
  ],
  [
    'searchable',
    () => field.text().searchable(any({ normalise: ['trim'] })),
    '`normalise`: did you mean `normalize`?',
  ],
  [
    'boundTo',
    () => field.text().searchable({ boundTo: any({ table: 'a', field: 'b', feild: 'b' }) }),
    '`feild`: did you mean `field`?',
  ],
  ['a searchable number', () => field.number().searchable(any({ bit: 8 })), '`bit`: did you mean `bits`?'],
  [
    'for',
    ({ fields, client }) => fields.for(client, any({ index: 'service', keyId: '' })),
    '`keyId`: did you mean `keyIds`?',
  ],
  [
    'for with a name in lower case',
    ({ fields, client }) => fields.for(client, any({ index: 'service', keyids: {} })),
    '`keyids`: did you mean `keyIds`?',
  ],
  [
    'encryptRow',
    ({ records }) => records.encryptRow('users', 1, {}, any({ scpoe: 'a' })),
    '`scpoe`: did you mean `scope`?',
  ],
  [
    'encryptRows',
    ({ records }) => records.encryptRows('users', [], idOf, any({ context: {} })),
    'has no option `context`',
  ],
  [
    'decryptRow',
    ({ records }) => records.decryptRow('users', 1, {}, any({ settled: true })),
    'has no option `settled`',
  ],
  [
    'decryptRows',
    ({ records }) => records.decryptRows('users', [], idOf, any({ setled: true })),
    '`setled`: did you mean `settled`?',
  ],
  [
    'where',
    ({ records }) => records.where('users', { name: 'a' }, any({ sginal: 1 })),
    'has no option `sginal`',
  ],
  [
    'encryptFieldSync',
    ({ records }) => records.encryptFieldSync('users', 'nick', null, any({ signal: 1 })),
    'has no option `signal`',
  ],
  [
    'decryptFieldSync',
    ({ records }) => records.decryptFieldSync('users', 'nick', null, any({ as: {} })),
    'has no option `as`',
  ],
  [
    'createIndexKey',
    ({ client }) => createIndexKey(client, any({ keyID: '' })),
    '`keyID`: did you mean `keyId`?',
  ],
  [
    'rewrapIndexKey',
    ({ client }) => rewrapIndexKey(client, '', any({ keyid: '' })),
    '`keyid`: did you mean `keyId`?',
  ],
  [
    'where, a field',
    ({ records }) => records.where('users', any({ nmae: 'Ada' })),
    '`users.nmae` is not defined: did you mean `name`?',
  ],
  [
    'a table',
    ({ records }) => records.encryptRow(any('user'), 1, any({})),
    '`user` is not defined: did you mean `users`?',
  ],
])('%s refuses an unknown name and suggests the most similar name', async (_, call, message) => {
  const opened = openFields();
  const error = await errorOf(() => call(opened));
  expect(error).toBeInstanceOf(InputError);
  expect(String(error)).toContain(message);
  expect(opened.service.requests).toEqual([]);
});

test('a column that is not defined is refused, because it would be stored as plaintext', async () => {
  const { records, service } = openFields();
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

test.each([
  ['a Promise', Promise.resolve({ name: 'Ada' })],
  ['a Map', new Map([['name', 'Ada']])],
])('%s in place of a row is refused, because its columns would be lost', async (kind, row) => {
  const { records, service } = openFields();
  const message = `a row must be an object with columns (got ${kind})`;
  await expect(records.encryptRow('users', 1, row as never)).rejects.toThrow(new InputError(message));
  await expect(records.decryptRow('users', 1, row as never)).rejects.toThrow(new InputError(message));
  expect(service.requests).toEqual([]);
});
