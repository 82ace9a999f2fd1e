import { expect, test } from 'vitest';
import { clientAndKey } from '../../../../test/sdk/client-and-key.ts';
import { InputError } from '../index.ts';
import { bigint, boolean, date, defineFields, number, text } from './fields.ts';

test.each<[string, () => unknown, string]>([
  [
    'an index column named like a field',
    () => ({ a: text().searchable({ column: 'b' }), b: text() }),
    'called b',
  ],
  ['an index column named like its field', () => ({ a: text().searchable({ column: 'a' }) }), 'called a'],
  [
    'two index columns of one name',
    () => ({ a: text().searchable({ column: 'x' }), b: text().searchable({ column: 'x' }) }),
    'called x',
  ],
  ['a default name that is taken', () => ({ a: text().searchable(), a_index: text() }), 'called a_index'],
  ['__proto__ for a field', () => ({ ['__proto__']: text() }), 'a name that cannot be used'],
  [
    '__proto__ for an index column',
    () => ({ a: text().searchable({ column: '__proto__' }) }),
    'a name that cannot be used',
  ],
  ['no name', () => ({ '': text() }), 'a name that cannot be used'],
  [
    'an index column without a name',
    () => ({ a: text().searchable({ column: '' }) }),
    'a name that cannot be used',
  ],
  ['a control character', () => ({ 'a\n': text() }), 'control character'],
  ['a lone surrogate', () => ({ '\ud800': text() }), 'lone surrogate'],
  ['what is no field', () => ({ a: 'text' }), 'users.a is no field'],
  ['null', () => ({ a: null }), 'users.a is no field'],
  ['a builder that was not called', () => ({ a: text }), 'users.a is no field'],
])('%s cannot be defined', (_, table, message) => {
  const define = () => defineFields({ users: table() } as never);
  expect(define).toThrow(InputError);
  expect(define).toThrow(message);
});

test('a name that could mean a table or a field of another is refused', () => {
  expect(() => defineFields({ a: { b: text() }, 'a.b': { c: text() } })).toThrow('called a.b');
});

test('names that objects inherit are names like others', async () => {
  const { client } = clientAndKey();
  const tricky = { constructor: text(), toString: text().searchable(), hasOwnProperty: text() };
  const records = defineFields({ valueOf: tricky }).for(client, { index: 'service' });
  const row = { constructor: 'a', toString: 'b', hasOwnProperty: 'c', __defineGetter__: 'd' };
  const stored = await records.encryptRow('valueOf', 1, row as never);
  expect(await records.decryptRow('valueOf', 1, stored)).toEqual(row);
  expect(await records.encryptRow('valueOf', 1, { other: 1 } as never)).toEqual({ other: 1 });
  for (const table of ['toString', '__proto__', 'users']) {
    await expect(records.encryptRow(table as 'valueOf', 1, {})).rejects.toThrow(
      `no table is defined as ${table}`,
    );
  }
});

test('a column called __proto__ passes as it is, and pollutes nothing', async () => {
  const { client } = clientAndKey();
  const records = defineFields({ users: { name: text() } }).for(client);
  const row = JSON.parse('{"name":"Ada","__proto__":{"polluted":1}}') as { name: string };
  const stored = await records.encryptRow('users', 1, row);
  expect(Object.keys(stored)).toEqual(['name', '__proto__']);
  expect((stored as { polluted?: number }).polluted).toBeUndefined();
});

test.each([number, bigint, boolean, date])('a $name is made searchable only in so many words', (type) => {
  const field = type() as unknown as { searchable(options?: object): { index: object } };
  for (const options of [undefined, {}, { lowEntropy: true }, { bits: 8 }]) {
    expect(() => field.searchable(options)).toThrow("searchable({ lowEntropy: 'accepted' })");
  }
  expect(field.searchable({ lowEntropy: 'accepted' }).index).toMatchObject({ column: true, bits: 256 });
});

test.each([0, 257, 1.5, Number.NaN, '8'])('an index of %s bits is refused', (bits) => {
  expect(() => text().searchable({ bits: bits as number })).toThrow('an index keeps 1 to 256 bits');
});

test.each([
  { column: 5 },
  { boundTo: { table: 'users' } },
  { boundTo: 'users.email' },
  { boundTo: { table: 'a', field: 5 } },
])('an index of %j is refused', (options) => {
  expect(() => text().searchable(options as object)).toThrow('an index has a column name');
});

test('a normalization that there is not is refused', () => {
  for (const step of ['lower', 'toString', 'constructor']) {
    expect(() => text().searchable({ normalize: [step as 'trim'] })).toThrow(
      `no normalization is called ${step}`,
    );
  }
});

test('a context that there is not is refused', () => {
  expect(() => text({ context: 'table' as 'row' })).toThrow(
    'the context of a field is `row`, `field` or a function',
  );
});

test('making a field searchable leaves the field itself as it was', () => {
  const plain = text();
  plain.searchable();
  expect(plain.index).toBeUndefined();
});

test('options that do not fit the definition are refused', () => {
  const { client, keyId } = clientAndKey();
  const fields = defineFields({ users: { email: text().searchable() } });
  const attempt = (options: object) => () => fields.for(client, options as { index: string });
  expect(attempt({})).toThrow('say where the index of users.email is made');
  expect(attempt({ index: [] })).toThrow('say where the index of users.email is made');
  expect(attempt({ index: 'service', keyIds: { user: keyId } })).toThrow(
    '`keyIds` names user, which is not defined',
  );
  expect(attempt({ index: 'service', keyIds: { users: 'name' } })).toThrow('`keyIds` has no UUID for users');
  expect(attempt({ index: 'service', keyIds: { users: [] } })).toThrow(
    '`keyIds` has an empty list for users',
  );
});
