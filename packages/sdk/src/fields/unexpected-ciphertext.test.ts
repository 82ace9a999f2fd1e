import { expect, test, vi } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { deepJson, lookAlike } from '@eaas/test-kit/look-alike';
import { defineFields, field, unencrypted } from './fields.ts';
import { withMembers } from './recognize-ciphertext.ts';

const fields = defineFields({
  patients: { ...unencrypted('id', 'nickname'), name: field.text().searchable(), ssn: field.text() },
  visits: { note: field.text() },
  wards: unencrypted('id', 'title'),
});

async function openFields() {
  const { client, service, events } = await observedClient();
  const records = fields.for(client, { index: 'service' });
  const { name, ssn } = await records.encryptRow('patients', 1, { name: 'Ada', ssn: '123' });
  const unexpected = () => events.filter(({ type }) => type === 'unexpected_ciphertext');
  return { client, records, service, unexpected, name: String(name), ssn: String(ssn) };
}

const event = (table: string | undefined, column: string | undefined) => ({
  type: 'unexpected_ciphertext',
  table,
  column,
});

test.each<[string, (text: string) => unknown]>([
  ['text', (text) => text],
  ['the bytes of the envelope', (text) => Buffer.from(text, 'base64')],
  ['a list of objects, as json_agg returns', (name) => [{ id: 1, deep: { name } }]],
])('a column that is no field returns a ciphertext unchanged (%s), and causes an event', async (_, wrap) => {
  const { records, unexpected, ssn, name } = await openFields();
  for (const [at, pasted] of [lookAlike, name].entries()) {
    const row = { id: 1, [`other${at}`]: wrap(pasted), nickname: wrap(pasted) };
    const stored = { ...row, ssn: ssn as never };
    expect(await records.decryptRow('patients', 1, stored)).toEqual({ ...row, ssn: '123' });
  }
  expect(unexpected()).toEqual([
    event('patients', 'other0'),
    event('patients', 'nickname'),
    event('patients', 'other1'),
  ]);
});

test('the event of a column occurs once per client, is logged as a warning, and has no value', async () => {
  const logger = { debug: vi.fn(), warn: vi.fn() };
  const { make } = await observedClient({ logger });
  for (const client of [make(), make()]) {
    const records = fields.for(client, { index: 'service' });
    for (let read = 0; read < 3; read++) await records.decryptRow('patients', 1, { nickname: lookAlike });
  }
  const warning = ['eaas unexpected_ciphertext', event('patients', 'nickname')];
  expect(logger.warn.mock.calls).toEqual([warning, warning]);
});

test('`decryptRow` refuses a row whose only ciphertext is under a name that no field has', async () => {
  const { records, name } = await openFields();
  const lost = 'the row has no field of `patients`, and a ciphertext in `NAME`: name its field with `as`';
  await expect(records.decryptRow('patients', 1, { NAME: name })).rejects.toThrow(lost);
  const as = { NAME: 'name' } as const;
  expect(await records.decryptRow('patients', 1, { NAME: name }, { as })).toEqual({ NAME: 'Ada' });
});

test('`decryptRows` looks at no more than 1,000 values inside the JSON of a column', async () => {
  const { records, unexpected } = await openFields();
  const reads = vi.fn();
  const member = () => new Proxy({}, { ownKeys: () => (reads(), []) });
  const rows = Array.from({ length: 100 }, () => ({ nickname: Array.from({ length: 100 }, member) }));
  await records.decryptRows('patients', rows, () => 1);
  expect(reads.mock.calls.length).toBeLessThanOrEqual(1_000);
  expect(unexpected()).toEqual([]);
});

test('a value is found at any depth', () => {
  const finds = (value: unknown) => Array.from(withMembers([value])).includes(lookAlike);
  expect(finds(deepJson(100_000, lookAlike))).toBe(true);
  expect(finds(deepJson(100_000, 'x'))).toBe(false);
  expect(finds([...Array<string>(100_000).fill('x'), lookAlike])).toBe(true);
  const cycle: unknown[] = [];
  cycle.push(cycle);
  expect(finds(cycle)).toBe(false);
});

test('with the option `as`, decryptRows decrypts renamed columns', async () => {
  const { records, name, ssn } = await openFields();
  const rows = [{ id: 1, patientName: name, number: ssn, visits: 3 }];
  const opened = await records.decryptRows('patients', rows, ({ id }) => id, {
    as: { patientName: 'name', number: 'ssn' },
  });
  expect(opened).toEqual([{ id: 1, patientName: 'Ada', number: '123', visits: 3 }]);
});

test('`as` with null returns a column unchanged and without an event, so that a later call can decrypt it', async () => {
  const { records, unexpected, name } = await openFields();
  const { note } = await records.encryptRow('visits', 7, { note: 'cough' });
  const joined = { id: 7, patientId: 1, patientName: name, note };
  const first = await records.decryptRow('patients', 1, joined, { as: { patientName: 'name', note: null } });
  expect(first).toEqual({ ...joined, patientName: 'Ada' });
  expect(await records.decryptRow('visits', 7, first)).toEqual({ ...first, note: 'cough' });
  const kept = { ssn: name, name: note };
  expect(await records.decryptRow('patients', 1, kept, { as: { ssn: null, name: null } })).toEqual(kept);
  expect(unexpected()).toEqual([]);
});
