import { assertType, describe, expect, expectTypeOf, test } from 'vitest';
import { observedClient, range } from '../../test/observed-client.ts';
import { createIntake } from '../intake/intake.ts';
import { InputError } from '../index.ts';
import { createIndexKey, decryptNested, defineFields, field, FieldError, unencrypted } from './fields.ts';

const columns = { ...unencrypted('id'), name: field.text(), note: field.text() };
const fields = defineFields({ patients: { subject: 'id', ...columns } });
const uuid = '5B7C6E3A-1F0D-4C2B-9A8E-0123456789AB';

const open = async () => {
  const made = await observedClient();
  return { ...made, records: fields.for(made.client) };
};

const idOf = ({ id }: { id: number }) => id;

test('TypeScript refuses rows that would belong to nobody', () => {
  const [name, subject] = [field.text(), ({ id }: { id: string }) => id];
  // @ts-expect-error -- the rows would belong to nobody
  defineFields({ people: { subject, ...unencrypted('id', 'subject'), name } });
  assertType<() => unknown>(async () => [
    // @ts-expect-error the row lacks `id`
    (await open()).records.encryptRow('patients', 1, { name: null }),
  ]);
});

test('a list has null for the values of an erased person, unless `onError` says otherwise', async () => {
  const { client, records, make } = await open();
  const rows = range(3).map((id) => ({ id, name: `name ${id}`, note: null }));
  const stored = await records.encryptRows('patients', rows, ({ id }) => id);
  await client.subjects.erase({ subject: '1' });
  const reading = () => fields.for(make({ retries: 0 }));
  const read = (onError?: 'throw' | 'null' | (({ code }: FieldError) => string)) =>
    reading().decryptRows('patients', stored, idOf, { onError });
  const namesOf = (found: readonly { name: string | null }[]) => found.map(({ name }) => name);
  const plain = await reading().decryptRows('patients', stored, idOf);
  expect(namesOf(plain)).toEqual(['name 0', null, 'name 2']);
  expectTypeOf(plain).toEqualTypeOf<{ id: number; name: string | null; note: string | null }[]>();
  const nested = await decryptNested(reading(), stored, { table: 'patients' });
  expect(nested).toEqual(plain);
  expectTypeOf<(typeof nested)[0]['name']>().toEqualTypeOf<string | null>();
  expect(namesOf(await read('null'))).toEqual(['name 0', null, 'name 2']);
  expect(namesOf(await read(({ code }) => code))).toEqual(['name 0', 'subject_erased', 'name 2']);
  const failed = /^patients\.name of row 1: .*; to read the rest, pass `onError: 'null'`$/;
  await expect(read('throw')).rejects.toThrow(failed);
  const single = reading().decryptRow('patients', 1, stored[1] as (typeof stored)[number]);
  await expect(single).rejects.toThrow(failed);
  const writing = reading().encryptRow('patients', 1, { id: 1, name: 'Ada' });
  await expect(writing).rejects.toMatchObject({ code: 'subject_erased' });
  await expect(writing).rejects.not.toThrow('onError');
  const moved = [{ ...(stored[0] as (typeof stored)[number]), id: 2 }];
  await expect(reading().decryptRows('patients', moved, idOf)).rejects.toMatchObject({ code: 'decryption' });
});

test.each([
  ['an integer', 42, '42'],
  ['a UUID', uuid, uuid.toLowerCase()],
])('%s in the column of the subject', async (_, id, subject) => {
  const { client, records } = await open();
  const { name } = await records.encryptRow('patients', id, { id, name: 'Ada' });
  const context = { table: 'patients', field: 'name', row: subject };
  expect(await client.decrypt(name, { as: 'text', subject, context })).toBe('Ada');
  expect(await records.decryptRow('patients', id, { id, name })).toEqual({ id, name: 'Ada' });
});

describe.each([
  ['null', null, 'null'],
  ['an empty text', '', 'an empty string'],
  ['a fraction', 1.5, 'a number'],
  ['a promise', Promise.resolve('1'), 'a Promise'],
  ['a control character', 'secret\n', 'a string'],
  ['257 bytes', 's'.repeat(257), 'a string'],
])('%s names nobody', (_, id, got) => {
  const message = new RegExp(
    `the column \`patients.id\` must name the person of row 7: .*\\(got ${got}\\): have the column in the row$`,
  );

  test('encryption throws before any request', async () => {
    const { records, service } = await open();
    const rows = [1, id as string].map((each) => ({ id: each, name: 'Ada' }));
    const failure = records.encryptRows('patients', rows, () => 7);
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toBeInstanceOf(InputError);
    await expect(failure).rejects.not.toThrow(/secret|sss/);
    expect(service.requests).toEqual([]);
  });

  test('decryption fails for its row alone', async () => {
    const { records, service, make } = await open();
    const people = [7, 8].map((each) => ({ id: each, name: 'Ada' }));
    const stored = await records.encryptRows('patients', people, idOf);
    const asked = service.requests.length;
    const row = { id: id as unknown as number, name: String(stored[0]?.name) as never };
    const failure = fields.for(make()).decryptRow('patients', 7, row);
    await expect(failure).rejects.toMatchObject({ name: 'FieldError', code: 'format', row: '7' });
    await expect(failure).rejects.toThrow(new RegExp(message.source.replace('$', '; to read the rest')));
    expect(service.requests).toHaveLength(asked);
    const rows = [row, ...stored.slice(1)];
    const rowIdOf = (each: { id: number }) => (each.id === 8 ? 8 : 7);
    const read = await records.decryptRows('patients', rows, rowIdOf, { onError: ({ code }) => code });
    expect(read.map(({ name }) => name)).toEqual(['format', 'Ada']);
  });
});

test('a list without the column fails in every mode, because the query is at fault', async () => {
  const { records } = await open();
  const { name } = await records.encryptRow('patients', 7, { id: 7, name: 'Ada' });
  const reading = records.decryptRows('patients', [{ name } as { id: number; name: typeof name }], () => 7, {
    onError: 'null',
  });
  await expect(reading).rejects.toMatchObject({ code: 'input' });
  await expect(reading).rejects.toThrow(/got undefined\): have the column in the row$/);
});

test('a row without values needs no subject', async () => {
  const { records } = await open();
  const row = { id: null as unknown as string, name: null };
  expect(await records.encryptRow('patients', 7, row)).toEqual({ id: null, name: null });
  expect(await records.decryptRow('patients', 7, row)).toEqual({ id: null, name: null });
});

test('a function names the person of a row', async () => {
  const visits = defineFields({
    visits: {
      subject: ({ org, patient }: { org: string; patient: number }) => `${org}/${patient}`,
      ...unencrypted('id', 'org', 'patient'),
      name: field.text(),
    },
  });
  const opened = await open();
  const records = visits.for(opened.client);
  const row = { id: 1, org: 'a', patient: 2, name: 'x' };
  const stored = await records.encryptRow('visits', row.id, row);
  expect(await records.decryptRow('visits', 1, stored)).toEqual(row);
  const wrong = records.decryptRow('visits', 1, { ...stored, patient: 3 });
  await expect(wrong).rejects.toMatchObject({ code: 'decryption' });
  const nobody = defineFields({ t: { subject: () => undefined, name: field.text() } }).for(opened.client);
  await expect(nobody.encryptRow('t', 1, { name: 'x' })).rejects.toThrow(
    /the function `subject` of t must name the person of row 1: .*\(got undefined\): return the id/,
  );
  // @ts-expect-error the row lacks what the function reads
  await records.encryptRow('visits', 1, { id: 1, name: null });
});

test('values from before, and those of an intake, are read without a subject', async () => {
  const { client, service, make } = await open();
  const { key_id } = await client.keys.create({ name: 'intake', intake: true });
  const { intake_public_key } = await client.publicKey(key_id);
  const before = defineFields({ patients: columns }).for(client, { keyIds: { patients: key_id } });
  const { name } = await before.encryptRow('patients', 1, { id: 1, name: 'Ada' });
  const note = await createIntake({ publicKey: String(intake_public_key) }).encrypt('sent', {
    context: { table: 'patients', field: 'note', row: '1' },
  });
  await expect(client.decrypt(note)).rejects.toThrow("(pass the intake key's id as `keyId`)");
  const records = fields.for(make(), { keyIds: { patients: key_id } });
  const row = { id: 1, name, note: note as unknown as typeof name };
  expect(await records.decryptRow('patients', 1, row as never)).toEqual({ id: 1, name: 'Ada', note: 'sent' });
  expect(service.requests.at(-1)).toMatchObject({ status: 200 });
});

test('a table without `subject` says what the ciphertext of a person lacks', async () => {
  const { client, records } = await open();
  const stored = await records.encryptRow('patients', 1, { id: 1, name: 'Ada' });
  const others = defineFields({ patients: columns }).for(client);
  const failure: unknown = await others.decryptRow('patients', 1, stored).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FieldError);
  expect(String(failure)).toMatch(/patients\.name of row 1: .*belongs to a person: pass `subject`/);
  expect(await others.decryptRow('patients', 1, stored, { subject: '1' })).toMatchObject({ name: 'Ada' });
  await expect(records.decryptRow('patients', 1, stored, { subject: '1' })).rejects.toThrow(
    /leave out the option `subject`/,
  );
  await expect(records.encryptRow('patients', 1, { id: 1, name: 'x' }, { subject: '1' })).rejects.toThrow(
    /leave out the option `subject`/,
  );
});

test('a definition refuses the encrypted column as the one of the person', () => {
  const define = () => defineFields({ patients: { subject: 'name', name: field.text() } });
  expect(define).toThrow(/names the encrypted column `name`/);
});

test('records of a user read for the user, and share the index key', async () => {
  const searchable = defineFields({
    patients: { subject: 'id', ...unencrypted('id'), name: field.text().searchable() },
  });
  const { client, make } = await observedClient();
  const index = await createIndexKey(client);
  const records = searchable.for(make({ requireUser: true }), { index });
  await expect(records.where('patients', { name: 'Ada' })).rejects.toThrow(/requireUser/);
  const stored = await records.as('7').encryptRow('patients', 1, { id: 1, name: 'Ada' });
  expect(await records.as('8').where('patients', { name: 'Ada' })).toEqual({
    name_index: [stored.name_index],
  });
  for (const user of ['7', '8', '7']) {
    expect((await records.as(user).decryptRow('patients', 1, stored)).name).toBe('Ada');
  }
  const { logs } = await client.audit.page();
  const users = logs.flatMap(({ action, metadata }) => (action === 'key.unwrap' ? [metadata['user']] : []));
  // One for the index key, and one for the data key of each user.
  expect([users.length, new Set(users).size]).toEqual([3, 2]);
  records.as('7').close();
  await expect(records.as('8').where('patients', { name: 'Ada' })).rejects.toThrow(/closed/);
});
