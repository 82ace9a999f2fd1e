import { describe, expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { InputError } from '../index.ts';
import { defineFields, field, part, plaintext, unencrypted } from './fields.ts';

describe('names in a definition', () => {
  test.each<[string, () => unknown, string]>([
    [
      'an index column with the name of a field',
      () => ({ a: field.text().searchable({ column: 'b' }), b: field.text() }),
      'contains the name b twice',
    ],
    [
      'a default name that is taken',
      () => ({ a: field.text().searchable(), a_index: field.text() }),
      'contains the name a_index twice',
    ],
    ['a field called __proto__', () => ({ ['__proto__']: field.text() }), 'must not be empty or `__proto__`'],
    ['a control character', () => ({ 'a\n': field.text() }), 'control character'],
    [
      'a number as a column name',
      () => unencrypted(5 as never),
      'each argument of `unencrypted` must be a string (got a number)',
    ],
  ])('a definition with %s is refused', (_, table, message) => {
    const define = () => defineFields({ users: table() } as never);
    expect(define).toThrow(InputError);
    expect(define).toThrow(message);
  });

  test('a field can have the name of an inherited member, such as `constructor`', async () => {
    const { client } = await observedClient();
    const tricky = {
      ...unencrypted('__defineGetter__'),
      constructor: field.text(),
      toString: field.text().searchable(),
      hasOwnProperty: field.text(),
    };
    const records = defineFields({ valueOf: tricky }).for(client, { index: 'service' });
    const row = { constructor: 'a', toString: 'b', hasOwnProperty: 'c', __defineGetter__: 'd' };
    const stored = await records.encryptRow('valueOf', 1, row);
    expect(await records.decryptRow('valueOf', 1, stored)).toEqual(row);
    for (const table of ['toString', '__proto__', 'users']) {
      await expect(records.encryptRow(table as 'valueOf', 1, {})).rejects.toThrow(
        `the table \`${table}\` is not defined`,
      );
    }
  });

  test('encryptRow refuses a row member called `__proto__`, and decryptRow keeps it', async () => {
    const { client } = await observedClient();
    const records = defineFields({ users: { name: field.text() } }).for(client);
    const row = JSON.parse('{"name":null,"__proto__":{"polluted":1}}') as { name: null };
    await expect(records.encryptRow('users', 1, row)).rejects.toThrow('`users.__proto__` is not defined');
    const opened = await records.decryptRow('users', 1, row);
    expect(Object.keys(opened)).toEqual(['name', '__proto__']);
    expect((opened as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('options of a definition', () => {
  test.each<[string, object]>([
    ['a number', { a: field.number().searchable() }],
    ['a Date', { a: field.date().searchable({ bits: 8 }) }],
    ['a part of a text', { a: field.text().searchableBy({ last4: part.lastCharacters(4) }) }],
  ])("an index of %s needs `lowEntropy: 'accepted'` of its table", (_, columns) => {
    const refused = /^users\.a has an index .* guessed by brute force .* `lowEntropy: 'accepted'`$/;
    expect(() => defineFields({ users: columns as never })).toThrow(refused);
    const wrong = { users: { lowEntropy: 'yes', ...columns } };
    expect(() => defineFields(wrong as never)).toThrow("`lowEntropy` of users must be 'accepted'");
    defineFields({ users: { lowEntropy: 'accepted', ...columns } as never });
  });

  const define = (options: object) => () => field.text(options);
  const search = (options: object) => () => field.text().searchable(options);
  test.each<[string, () => unknown]>([
    ['integer from 1 to 256', search({ bits: 257 })],
    ['unknown normalization `uppercased`: expected trim', search({ normalize: ['uppercased'] })],
    ["`context` of `text` must be 'row', 'field' or a function", define({ context: 'table' })],
    ['`previous` of `text` must be the return value of `plaintext()`', define({ previous: true })],
    ['the first argument of `plaintext` must be a function', () => plaintext('text' as never)],
  ])('a wrong option of a field is refused: %s', (message, define) => {
    expect(define).toThrow(message);
  });

  test('`fields.for` refuses options that contradict the definition', async () => {
    const { client, keyId } = await observedClient();
    const fields = defineFields({ users: { email: field.text().searchable() } });
    const attempt = (options: object) => () => fields.for(client, options as { index: string });
    expect(attempt({})).toThrow(
      "users.email is searchable, so the option `index` must be 'service' or a token from `createIndexKey`, " +
        "or 'half' for a client with a half (got undefined)",
    );
    expect(attempt({ index: 'service', keyIds: { user: keyId } })).toThrow(
      '`keyIds` has an entry for `user`, which is not a defined table or field: did you mean `users`?',
    );
    expect(attempt({ index: 'service', keyIds: { users: [] } })).toThrow(
      '`keyIds` must have a UUID or a list of UUIDs for `users`',
    );
  });
});
