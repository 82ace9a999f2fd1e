import { expect, expectTypeOf, test, vi } from 'vitest';
import { observedClient, routesOf } from '../../test/observed-client.ts';
import { Concealed, defineFields, field, sortRows, unencrypted } from './fields.ts';

const columns = {
  ...unencrypted('id', 'city'),
  name: field.text().concealed(),
  age: field.number().concealed(),
  size: field.bigint().concealed(),
  born: field.date().concealed(),
  notes: field.json<object>().concealed(),
};
const fields = defineFields({ people: columns, patients: { subject: 'id', ...columns } });
const idOf = ({ id }: { readonly id: string }): string => id;
const ids = (rows: readonly { readonly id: string }[]): string => rows.map(idOf).join('');
const ages = [5, 40, -1, NaN, 0, null, 9];
const people = ['Zoë', 'Émile', 'room 10', 'Zoe', null, 'room 9', 'emil'].map((name, at) => {
  const [city, age, size] = [at % 2 ? 'Rome' : 'Bern', ages[at] ?? null, BigInt(at % 3)];
  return { id: String(at), city, name, age, size, born: new Date(-at), notes: { at } };
});

async function openPeople() {
  const { client, make, service } = await observedClient();
  const [writing, records] = [fields.for(client), fields.for(make({ retries: 0 }))];
  const stored = await writing.encryptRows('people', people, idOf);
  const unwraps = () => routesOf(service).filter((route) => route.includes('unwrap')).length;
  const rows = await records.decryptRows('people', stored, idOf);
  return { writing, records, service, stored, rows, unwraps };
}

test('rows are in the order of a dictionary, or of values; null is last, and equal rows keep their order', async () => {
  const { rows, unwraps } = await openPeople();
  const descending = { locale: 'en', descending: true };
  const sorted = await sortRows(rows, 'name', { locale: 'en' });
  expect(sorted.map(({ name }) => name).join()).toBe('emil,Émile,room 9,room 10,Zoe,Zoë,');
  expect([sorted[0]?.age instanceof Concealed, unwraps()]).toEqual([true, 1]);
  expectTypeOf(sorted).items.toHaveProperty('name').toEqualTypeOf<string | null>();
  expectTypeOf(sorted).items.toHaveProperty('age').toEqualTypeOf<Concealed<number> | null>();
  expect(ids(await sortRows(rows, 'name', descending))).toBe('0325164');
  expect(ids(await sortRows(rows, 'age', descending))).toBe('1604235');
  expect(ids(await sortRows(rows, 'size'))).toBe('0361425');
  expect(ids(await sortRows(rows, 'born'))).toBe('6543210');
  const page = await sortRows(rows, ['city', 'age'], { ...descending, offset: 1, limit: 1 });
  expectTypeOf(page).items.toHaveProperty('city').toEqualTypeOf<string>();
  expect(page.map(({ id, age }) => [id, age])).toEqual([['3', NaN]]);
  expect(ids(await sortRows(rows, ['city', 'age'], { offset: 3 }))).toBe('6135');
});

test('too many rows, people without `most` and unknown locales are refused before anything is opened', async () => {
  const { writing, records, rows, unwraps } = await openPeople();
  const stored = await writing.encryptRows('patients', people, idOf);
  const patients = await records.decryptRows('patients', stored, idOf);
  const refused = { name: 'EncryptedTableError', code: 'too_many', table: 'patients', column: 'name' };
  await expect(sortRows(patients, 'name', { most: 6 })).rejects.toMatchObject(refused);
  await expect(sortRows(patients, 'name')).rejects.toMatchObject(refused);
  const many = Array.from({ length: 715 }, () => rows).flat();
  await expect(sortRows(many, 'size')).rejects.toThrow(/^people\.size: 5005 rows are more than 5000: /);
  for (const locale of ['xx', 'not a locale', '']) {
    await expect(sortRows(rows, 'name', { locale })).rejects.toThrow('unknown `locale`');
  }
  await expect(sortRows(rows, 'notes')).rejects.toThrow('people.notes has no order');
  expect(unwraps()).toBe(0);
  expect(ids(await sortRows(patients, 'name', { most: 7, locale: 'en', limit: 2 }))).toBe('61');
});

test.each([
  ['null without `onError`', undefined, null, '2061345'],
  ['what it returned, also of another type', () => 'lost', 'lost', '2061435'],
  ['what it returned, also without an order', () => ({}), {}, '2061345'],
])('a value that fails is %s, and the page is whole', async (_, onError, shown, order) => {
  const { stored, records, service } = await openPeople();
  const broken = stored.map((row) => Object.assign({}, row, row.id === '4' && { age: stored[0]?.age }));
  const handler = onError && vi.fn(onError);
  const rows = await records.decryptRows('people', broken, idOf, { onError: handler });
  service.failNext('unavailable');
  await expect(sortRows(rows, 'age')).rejects.toMatchObject({ name: 'FieldError', code: 'unavailable' });
  const sorted = await sortRows(rows, 'age');
  expect([ids(sorted), sorted.find(({ id }) => id === '4')?.age]).toEqual([order, shown]);
  expect(handler?.mock.calls.length ?? 1).toBe(1);
});
