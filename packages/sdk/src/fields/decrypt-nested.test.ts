import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { InputError } from '../index.ts';
import { decryptNested, defineFields, field, unencrypted } from './fields.ts';

const fields = defineFields({
  doctors: { ...unencrypted('id'), name: field.text() },
  patients: { ...unencrypted('id'), name: field.text(), ssn: field.text().searchable(), born: field.date() },
  visits: { ...unencrypted('number'), note: field.text() },
});
const doctor = { id: 'd-1', name: 'Dr Grey' };
const patient = { id: 1, name: 'Ada', ssn: '123', born: new Date('1815-12-10') };
const notes = [
  { number: 7, note: 'cough' },
  { number: 8, note: null },
];

async function openClinic() {
  const { service, client, make, events } = await observedClient();
  const writer = fields.for(client, { index: 'service' });
  const storedDoctor = await writer.encryptRow('doctors', doctor.id, doctor, { scope: 'a' });
  const storedPatient = await writer.encryptRow('patients', patient.id, patient, { scope: 'b' });
  const visits = await writer.encryptRows('visits', notes, ({ number }) => number, { scope: 'c' });
  const records = fields.for(make(), { index: 'service' });
  const rows = [{ ...storedDoctor, patients: [{ ...storedPatient, visits, substitute: storedDoctor }] }];
  const before = service.requests.length;
  return { events, records, rows, storedPatient, visits, requests: () => service.requests.slice(before) };
}

const nesting = {
  table: 'doctors',
  nested: {
    patients: {
      table: 'patients',
      nested: {
        visits: { table: 'visits', id: ({ number }: { number: number }) => number },
        substitute: { table: 'doctors' },
      },
    },
  },
} as const;

test('nested rows of three tables are decrypted with one request', async () => {
  const { records, rows, requests } = await openClinic();
  const before = structuredClone(rows);
  const opened = await decryptNested(records, rows, nesting);
  expect(opened).toStrictEqual([
    { ...doctor, patients: [{ ...patient, visits: notes, substitute: doctor }] },
  ]);
  expect(opened[0]?.patients[0]?.visits[0]?.note satisfies string | null | undefined).toBe('cough');
  expect(opened[0]?.patients[0]?.born satisfies Date | undefined).toEqual(patient.born);
  expect(rows).toEqual(before);
  expect(requests()).toEqual([{ route: 'POST /v1/batch/unwrap', status: 200, items: 3 }]);
});

test('`decryptNested` returns null, undefined and an empty list of rows unchanged', async () => {
  const { records, visits, requests } = await openClinic();
  const rows = [
    { id: 1, patients: null, visits: visits.slice(2) },
    { id: 2, patients: undefined, visits: visits.slice(1) },
  ];
  const opened = await decryptNested(records, rows, {
    table: 'doctors',
    nested: { patients: { table: 'patients' }, visits: { table: 'visits', id: ({ number }) => number } },
  });
  expect(opened).toStrictEqual([rows[0], { id: 2, patients: undefined, visits: [notes[1]] }]);
  expect(requests()).toEqual([]);
});

test('the option `as` of decryptNested names the field of a renamed column', async () => {
  const { records, storedPatient, visits } = await openClinic();
  const rows = [{ id: 1, called: storedPatient.name, visits: visits.slice(0, 1) }];
  const opened = await decryptNested(records, rows, {
    table: 'patients',
    as: { called: 'name' },
    nested: { visits: { table: 'visits', id: ({ number }) => number } },
  });
  expect(opened).toEqual([{ id: 1, called: 'Ada', visits: notes.slice(0, 1) }]);
});

test('nested rows that `nested` does not name stay encrypted, and cause an event', async () => {
  const { records, rows, events } = await openClinic();
  const [row] = await decryptNested(records, rows, { table: 'doctors' });
  expect(row).toEqual({ ...doctor, patients: rows[0]?.patients });
  expect(events).toContainEqual({ type: 'unexpected_ciphertext', table: 'doctors', column: 'patients' });
});

test('decryptNested refuses a ciphertext of another row, and the error names table, field and row', async () => {
  const { records, rows } = await openClinic();
  const moved = structuredClone(rows);
  for (const { patients } of moved) for (const row of patients) row.id = 2;
  await expect(decryptNested(records, moved, nesting)).rejects.toMatchObject({
    code: 'decryption',
    table: 'patients',
    field: 'name',
    row: '2',
  });
});

test.each<[string, unknown, unknown, RegExp]>([
  ['a relation that is not loaded', { visits: Promise.resolve([]) }, { visits: { table: 'visits' } }, /load/],
  ['rows without an id', { visits: [{ note: 'x' }] }, { visits: { table: 'visits' } }, /must have an `id`/],
  ['an unknown table', {}, { visits: { table: 'visit' } }, /visit/],
])('%s throws InputError', async (_, row, nested, message) => {
  const { records, storedPatient } = await openClinic();
  const work = decryptNested(records, [{ ...storedPatient, ...(row as object) }], {
    table: 'patients',
    nested: nested as object,
  });
  await expect(work).rejects.toThrow(InputError);
  await expect(work).rejects.toThrow(message);
});
