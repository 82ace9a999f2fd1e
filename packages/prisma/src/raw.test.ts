import { defineFields, field } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';
import { modelsWith } from '../test/played.ts';
import { refuseRaw } from './raw.ts';

const fields = defineFields({ Patient: { name: field.text() } });
const columns = ['id', 'name'].map((name) => ({ name, kind: 'scalar', type: 'String' }));
const schema = { models: { Patient: { dbName: 'patients', fields: columns }, Doctor: { fields: columns } } };
const models = modelsWith(schema, fields);

const refused = expect.objectContaining({ code: 'not_supported' });

test.each([
  ['$queryRaw', { strings: ['select * from "patients" where id = ', ''], values: [1] }],
  ['$executeRaw', { strings: ['UPDATE public.Patients set name = ', ''], values: ['x'] }],
  ['$queryRawUnsafe', ['select name from patients', 1]],
  ['$queryRawTyped', { sql: 'select name from patients', values: [] }],
])('raw SQL in %s throws if the SQL names an encrypted table', (operation, args) => {
  expect(() => refuseRaw(models, operation, args)).toThrow(refused);
});

test.each([
  ['$queryRaw', { strings: ['select * from "Doctor"'], values: [] }],
  ['$queryRawUnsafe', ['select * from outpatients, patients_old']],
])('raw SQL in %s can name tables that are not encrypted', (operation, args) => {
  expect(() => refuseRaw(models, operation, args)).not.toThrow();
});

test.each([
  ['$queryRaw', {}],
  ['$runCommandRaw', { find: 'x' }],
  ['queryRaw', ['select 1']],
])('the extension refuses a raw operation whose arguments have an unknown form: %s', (operation, args) => {
  expect(() => refuseRaw(models, operation, args)).toThrow('not supported');
});
