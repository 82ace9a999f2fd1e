import { expect, test } from 'vitest';
import {
  checkConstraints,
  defineFields,
  describeFields,
  field,
  lastCharacters,
  unencrypted,
  withFields,
  words,
} from './fields.ts';

const fields = defineFields({
  users: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    email: field.text().searchable({ column: 'mark', bits: 16 }),
    name: field
      .text()
      .searchable()
      .searchableBy({
        words: words({ bits: 64 }),
        born: withFields(['born']),
        end: lastCharacters(4, { column: 'ending' }),
      }),
    born: field.date({ context: 'field' }),
  },
});

test('describeFields returns the encrypted fields of a table', () => {
  expect(describeFields(fields, 'users')).toEqual([
    { name: 'email', type: 'text', indexColumn: 'mark', bits: 16, parts: [], isBoundToRow: true },
    {
      name: 'name',
      type: 'text',
      indexColumn: 'name_index',
      bits: 256,
      parts: [
        { name: 'words', column: 'name_words_index', others: [], isList: true, bits: 64 },
        { name: 'born', column: 'name_born_index', others: ['born'], isList: false, bits: 256 },
        { name: 'end', column: 'ending', others: [], isList: false, bits: 256 },
      ],
      isBoundToRow: true,
    },
    { name: 'born', type: 'date', indexColumn: undefined, bits: undefined, parts: [], isBoundToRow: false },
  ]);
});

test.each<[string, object, string]>([
  ['user', {}, '`user` is not defined: did you mean `users`?'],
  ['users', { columns: { emial: 'x' } }, '`users.emial` is not defined: did you mean `email`?'],
  ['users', { notvalid: true }, '`notvalid`: did you mean `notValid`?'],
  ['plain', {}, 'the table `plain` has no encrypted fields'],
])('checkConstraints refuses the table %s with %j', (table, options, message) => {
  const definition = defineFields({ users: { email: field.text() }, plain: unencrypted('id') });
  expect(() => checkConstraints(definition, table as 'users', options)).toThrow(message);
});
