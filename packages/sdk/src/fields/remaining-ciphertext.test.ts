import { expect, test } from 'vitest';
import { observedClient } from '../../../../test/sdk/observed-client.ts';
import { defineFields, text, unencrypted } from './fields.ts';

const fields = defineFields({
  patients: { ...unencrypted('id'), name: text().searchable(), ssn: text() },
  visits: { note: text() },
});

async function openFields() {
  const { client, service } = observedClient();
  const records = fields.for(client, { index: 'service' });
  const { name, ssn } = await records.encryptRow('patients', 1, { name: 'Ada', ssn: '123' });
  return { client, records, service, name: String(name), ssn: String(ssn) };
}

type Records = Awaited<ReturnType<typeof openFields>>['records'];
const decrypt = (records: Records, row: object) => records.decryptRow('patients', 1, row as { ssn: string });

test.each<[string, (name: string) => unknown]>([
  ['text', (name) => name],
  ['the bytes of the envelope', (name) => Buffer.from(name, 'base64')],
  ['the bytes of the text', (name) => Buffer.from(name)],
  ['an object, as joins return', (name) => ({ id: 1, name })],
  ['a list of objects, as json_agg returns', (name) => [{ id: 1, deep: { name } }]],
])('a ciphertext in an unknown column (%s) throws and names the column', async (_, wrap) => {
  const { records, service, name } = await openFields();
  const before = service.requests.length;
  const work = decrypt(records, { id: 1, patientName: wrap(name) });
  await expect(work).rejects.toMatchObject({
    name: 'FieldError',
    code: 'input',
    field: 'patientName',
    row: '1',
  });
  await expect(work).rejects.toThrow(
    /^patients\.patientName of row 1: the column `patientName` contains a ciphertext but is not a field of `patients`: .*as: \{ patientName: /,
  );
  expect(service.requests).toHaveLength(before);
});

test('with the option `as`, decryptRow and decryptRows decrypt renamed columns', async () => {
  const { records, name, ssn } = await openFields();
  const rows = [{ id: 1, patientName: name, number: ssn, visits: 3 }];
  const opened = await records.decryptRows('patients', rows, ({ id }) => id, {
    as: { patientName: 'name', number: 'ssn' },
  });
  expect(opened).toEqual([{ id: 1, patientName: 'Ada', number: '123', visits: 3 }]);
  const row = await records.decryptRow('patients', 1, { alias: name }, { as: { alias: 'name' } });
  expect(row).toEqual({ alias: 'Ada' });
});

test('`as` with null returns a column unchanged, so that a later call can decrypt the column', async () => {
  const { records, name } = await openFields();
  const { note } = await records.encryptRow('visits', 7, { note: 'cough' });
  const joined = { id: 7, patientId: 1, patientName: name, note };
  const first = await records.decryptRow('patients', 1, joined, { as: { patientName: 'name', note: null } });
  expect(first).toEqual({ ...joined, patientName: 'Ada' });
  expect(await records.decryptRow('visits', 7, first)).toEqual({ ...first, note: 'cough' });
  const kept = { ssn: name, name: note };
  expect(await records.decryptRow('patients', 1, kept, { as: { ssn: null, name: null } })).toEqual(kept);
});

test('the option `as` refuses a field that is not defined', async () => {
  const { records, name } = await openFields();
  const as = { patientName: 'nmae' as 'name' };
  await expect(records.decryptRow('patients', 1, { patientName: name }, { as })).rejects.toThrow(
    '`patients.nmae` is not defined: did you mean `name`?',
  );
});

test('with `settled`, `decryptRows` fails only for the row with the unexpected ciphertext', async () => {
  const { records, name, ssn } = await openFields();
  const rows = [
    { ssn, comment: 'fine' },
    { ssn, comment: name },
  ];
  const settled = await records.decryptRows('patients', rows, () => 1, { settled: true });
  expect(settled).toEqual([
    { ok: true, value: { ssn: '123', comment: 'fine' } },
    { ok: false, error: expect.objectContaining({ field: 'comment' }) },
  ]);
});

test('decryptRow does not change unknown columns without a ciphertext', async () => {
  const { records } = await openFields();
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const row = {
    word: 'eaasAhead of time',
    bytes: Uint8Array.of(0x79, 0xa6, 0xac, 1),
    born: new Date(0),
    nothing: null,
    list: [1, 'eaas'],
    cycle,
  };
  expect(await decrypt(records, row)).toEqual(row);
});
