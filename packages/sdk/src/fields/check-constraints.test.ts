import { expect, test } from 'vitest';
import { checkConstraints, defineFields, field, unencrypted } from './fields.ts';

test.each<[string, object, string]>([
  ['user', {}, '`user` is not defined: did you mean `users`?'],
  ['users', { columns: { emial: 'x' } }, '`users.emial` is not defined: did you mean `email`?'],
  ['users', { notvalid: true }, '`notvalid`: did you mean `notValid`?'],
  ['plain', {}, 'the table `plain` has no encrypted fields'],
])('checkConstraints refuses the table %s with %j', (table, options, message) => {
  const definition = defineFields({ users: { email: field.text() }, plain: unencrypted('id') });
  expect(() => checkConstraints(definition, table as 'users', options)).toThrow(message);
});
