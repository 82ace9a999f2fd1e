import { EaasClient } from '@eaas/sdk';
import { defineFields, field, type FieldError, type OnError } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import { describe, expect, test, vi } from 'vitest';
import { columns, extensionOf, operate, relation } from '../test/played.ts';
import { encrypted, type EncryptedOptions } from './encrypted.ts';
import type { Args } from './values.ts';

const fields = defineFields({ Patient: { name: field.text() }, Visit: { note: field.text() } });
type Options = EncryptedOptions<(typeof fields)['tables']>;

const service = createTestService();
const { key_id: keyId } = service.createKey('patients');
const clientOf = () => new EaasClient({ ...service, keyId, retries: 0 });
const records = fields.for(clientOf());
const { name } = await records.encryptRow('Patient', 'ada', { name: 'Ada' });
const { note } = await records.encryptRow('Visit', 'first', { note: 'cough' });

const models = {
  Patient: { fields: [...columns('id', 'name', 'city'), relation('visits', 'Visit')] },
  Visit: { fields: columns('id', 'note') },
};
const patients = [
  { id: 'ada', name, city: 'London', visits: [{ id: 'first', note }] },
  { id: 'bob', name, city: 'Turin', visits: [{ id: 'second', note }] },
];

/** Runs an operation whose result is two patients. The second has the name and the visit of other rows. */
function run(
  options: Options,
  operation: string,
  args: Args,
  eaas = clientOf(),
  definition: typeof fields = fields,
  given: readonly object[] = patients,
): Promise<unknown> {
  const extension = extensionOf(models, (prisma) => encrypted(prisma, eaas, definition, options));
  const result = operation === 'findMany' ? given : given.at(-1);
  return operate(extension, operation, args, async () => structuredClone(result));
}

const include = { visits: true };
const withVisits = (patient: string | null, visit: string | null) => [
  { id: 'ada', name: 'Ada', city: 'London', visits: [{ id: 'first', note: 'cough' }] },
  { id: 'bob', name: patient, city: 'Turin', visits: [{ id: 'second', note: visit }] },
];
const place = (error: FieldError) => `${error.table}.${error.field} ${error.row}`;

describe('a value that cannot be decrypted', () => {
  test('fails the query by default, and the error names model, field and row', async () => {
    await expect(run({}, 'findMany', { include })).rejects.toMatchObject({
      name: 'FieldError',
      code: 'decryption',
      field: expect.stringMatching(/^(name|note)$/) as string,
      row: expect.stringMatching(/^(bob|second)$/) as string,
      message: expect.stringMatching(/ of row .*; to read the rest, pass `onError: 'null'`$/) as string,
    });
  });

  test.each<[string, Options, Args, unknown]>([
    ['by the option', { onError: 'null' }, {}, withVisits(null, null)],
    ['by the argument', {}, { onError: 'null' }, withVisits(null, null)],
    ['by the argument before the option', { onError: 'throw' }, { onError: 'null' }, withVisits(null, null)],
    [
      'by table',
      { onError: { Patient: 'null', Visit: () => 'unreadable' } },
      {},
      withVisits(null, 'unreadable'),
    ],
    ['by a function', {}, { onError: place }, withVisits('Patient.name bob', 'Visit.note second')],
  ])('is replaced %s', async (_, options, args, expected) => {
    expect(await run(options, 'findMany', { include, ...args })).toEqual(expected);
  });

  test('the function gets the row of the query', async () => {
    const onError = vi.fn<Exclude<OnError, string>>(() => null);
    await run({}, 'update', { where: { id: 'bob' }, data: { city: 'Turin' }, onError });
    const found = onError.mock.calls.map(([error, row]) => [error.row, row['id'], row['city']]);
    expect(new Set(found)).toEqual(
      new Set([
        ['bob', 'bob', 'Turin'],
        ['second', 'second', undefined],
      ]),
    );
  });
});

describe('a value of an erased person', async () => {
  const people = defineFields({
    Patient: { subject: 'id', name: field.text() },
    Visit: { note: field.text() },
  });
  const eaas = clientOf();
  const cloe = await people.for(eaas).encryptRow('Patient', 'cloe', { id: 'cloe', name: 'Cloe' });
  await eaas.subjects.erase({ subject: 'cloe' });
  const patient = { ...cloe, city: 'Turin' };
  const read = (operation: string, args: Args = {}, options: Options = {}) =>
    run(options, operation, args, eaas, people as never, [patient]);
  const where = { id: 'cloe' };
  const operations: [string, Args][] = [
    ['findMany', {}],
    ['update', { where, data: { city: 'Bern' } }],
    ['upsert', { where, create: { id: 'cloe', city: 'Bern' }, update: { city: 'Bern' } }],
    ['delete', { where }],
  ];

  test.each(operations)('is null in the result of %s', async (operation, args) => {
    const gone = { id: 'cloe', name: null, city: 'Turin' };
    expect([await read(operation, args)].flat()).toEqual([gone]);
    const refused = { code: 'subject_erased' };
    await expect(read(operation, { ...args, onError: 'throw' })).rejects.toMatchObject(refused);
    await expect(read(operation, args, { onError: 'throw' })).rejects.toMatchObject(refused);
  });
});

test('a row that names nobody fails alone', async () => {
  const owned = defineFields({
    Patient: { subject: 'city', name: field.text() },
    Visit: { note: field.text() },
  });
  const eaas = clientOf();
  const ada = await owned.for(eaas).encryptRow('Patient', 'ada', { name: 'Ada', city: '7' });
  const given = [
    { ...ada, id: 'ada' },
    { ...ada, id: 'bob', city: null },
  ];
  const read = (onError: OnError) => run({ onError }, 'findMany', {}, eaas, owned as never, given);
  expect(await read(({ code, row }) => `${code} ${row}`)).toMatchObject([
    { name: 'Ada' },
    { name: 'format bob' },
  ]);
});

test('another value of `onError`, and an operation without rows, are refused', async () => {
  const refused = { code: 'unknown_argument' };
  expect(() => run({ onError: { Patient: 'skip' as 'null' } }, 'findMany', {})).toThrow(
    expect.objectContaining(refused),
  );
  const named = { ...refused, model: 'Patient', message: expect.stringContaining('`onError`') as string };
  await expect(run({}, 'findMany', { onError: 'skip' })).rejects.toMatchObject(named);
  await expect(run({}, 'count', { onError: 'null' })).rejects.toMatchObject(named);
});
