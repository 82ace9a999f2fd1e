import { expect, test } from 'vitest';
import { date, defineFields, describeFields, text, unencrypted } from './fields.ts';

const fields = defineFields({
  users: {
    ...unencrypted('id'),
    email: text().searchable({ column: 'mark', bits: 16 }),
    name: text().searchable(),
    born: date({ context: 'field' }),
  },
});

test('describeFields returns the encrypted fields of a table', () => {
  expect(describeFields(fields, 'users')).toEqual([
    { name: 'email', type: 'text', indexColumn: 'mark', bits: 16, isBoundToRow: true },
    { name: 'name', type: 'text', indexColumn: 'name_index', bits: 256, isBoundToRow: true },
    { name: 'born', type: 'date', indexColumn: undefined, bits: undefined, isBoundToRow: false },
  ]);
});

test('describeFields refuses a table that is not defined', () => {
  // @ts-expect-error: not a table
  expect(() => describeFields(fields, 'user')).toThrow('did you mean `users`?');
});
