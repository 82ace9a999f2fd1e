import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { DecryptionError, EaasClient, FormatError, InputError } from '../index.ts';
import { defineFields, field, FieldError, unencrypted } from './fields.ts';

const fields = defineFields({
  users: {
    ...unencrypted('id', 'city'),
    email: field.text().searchable({ normalize: ['trim', 'lowercase'] }),
    name: field.text(),
    ssn: field.text(),
    age: field.number(),
    balance: field.bigint(),
    active: field.boolean(),
    born: field.date(),
    photo: field.bytes(),
    notes: field.json<{ tags: string[] }>(),
  },
  invoices: { name: field.text(), total: field.number({ context: 'field' }) },
});

async function openFields() {
  const { service, client, keyId } = await observedClient();
  return { service, client, keyId, records: fields.for(client, { index: 'service' }) };
}

const ada = {
  id: 42,
  email: ' Ada@Example.com',
  name: 'Ada King',
  ssn: '123-45-6789',
  age: -0,
  balance: -(2n ** 70n),
  active: false,
  born: new Date('1815-12-10'),
  photo: Uint8Array.of(1, 2, 3),
  notes: { tags: ['x'] },
  city: 'London',
};

async function errorOf(work: Promise<unknown>): Promise<FieldError> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof FieldError)) throw new Error(`expected a FieldError, got ${String(error)}`);
  return error;
}

test('a row is the same after encryption and decryption, which do not change their arguments', async () => {
  const { records } = await openFields();
  const stored = Object.freeze(await records.encryptRow('users', 42, Object.freeze({ ...ada })));
  expect(stored).toMatchObject({
    id: 42,
    city: 'London',
    email_index: expect.stringMatching(/^[\da-f]{64}$/),
  });
  const plain = Object.entries(stored).filter(([, value]) => !String(value).startsWith('eaas'));
  expect(plain.map(([name]) => name)).toEqual(['id', 'city', 'email_index']);
  expect(inspect(stored)).not.toMatch(/Ada King|Ada@|123-45/);
  expect(await records.decryptRow('users', 42, stored)).toStrictEqual(ada);
});

test('a null, undefined or omitted field stays unchanged, and its index column is null, undefined or omitted too', async () => {
  const { records } = await openFields();
  const empty = { id: 1, email: null, name: undefined };
  const stored = await records.encryptRow('users', 1, empty);
  expect(stored).toStrictEqual({ id: 1, email: null, email_index: null, name: undefined });
  expect(await records.decryptRow('users', 1, stored)).toStrictEqual(empty);
  expect(await records.encryptRow('users', 1, { email: undefined })).toStrictEqual({
    email: undefined,
    email_index: undefined,
  });
});

test.each(['Ada', '007'])('a text id that is not a UUID is used unchanged: %j', async (id) => {
  const { records } = await openFields();
  const stored = await records.encryptRow('users', id, { name: 'Ada' });
  for (const other of [id.toUpperCase(), id.trim(), String(Number(id))].filter((one) => one !== id)) {
    expect(await errorOf(records.decryptRow('users', other, stored))).toMatchObject({ code: 'decryption' });
  }
});

test.each(['', 1.5, 2 ** 53, undefined])('`encryptRow` throws for the row id %s', async (id) => {
  const { records, service } = await openFields();
  await expect(records.encryptRow('users', id as number, { name: 'Ada' })).rejects.toMatchObject({
    code: 'input',
  });
  expect(service.requests).toEqual([]);
});

test('a ciphertext that was copied to another row, field or table is refused', async () => {
  const { records } = await openFields();
  const { name, ssn } = await records.encryptRow('users', 1, { name: 'Ada', ssn: 'Ada' });
  const swapped = { name: ssn as string, ssn: name as string };
  const inOtherRow = await errorOf(records.decryptRow('users', 2, { name }));
  expect(inOtherRow).toMatchObject({ code: 'decryption', table: 'users', field: 'name', row: '2' });
  expect(inOtherRow.message).toMatch(/^users\.name of row 2: decryption failed/);
  expect(inOtherRow.cause).toBeInstanceOf(DecryptionError);
  expect(await errorOf(records.decryptRow('users', 1, swapped))).toMatchObject({ code: 'decryption' });
  expect(await errorOf(records.decryptRow('invoices', 1, { name: String(name) }))).toMatchObject({
    code: 'decryption',
  });
});

test('the message of a FieldError has one line, even if the row id contains line breaks', async () => {
  const id = '7\r\n2026-11-22 ERROR forged\u001b[2K';
  const error = await errorOf((await openFields()).records.decryptRow('users', id, { name: 'plaintext' }));
  expect(error.row).toBe(id);
  expect(error.message).toMatch(/^users\.name of row 7\P{Cc}+$/u);
});

test('a FieldError asks what was renamed, and names the page, only if the value is under an expected key', async () => {
  const { client, service, keyId, records } = await openFields();
  const stored = await records.encryptRow('users', 1, { name: 'Ada' });
  const { message } = await errorOf(records.decryptRow('users', 2, stored));
  expect(message).toContain(
    ' (is it from another row, or was the table, column or id renamed? See "Change your schema")',
  );
  const { key_id: other } = await service.createKey('other');
  const others = fields.for(client, { index: 'service', keyIds: { users: other } });
  expect((await errorOf(others.decryptRow('users', 1, stored))).message).toBe(
    `users.name of row 1: decryption failed: the value is under the key ${keyId.slice(0, 8)}, and only ` +
      `${other.slice(0, 8)} is accepted (is it from another environment?); to read the rest, pass ` +
      `\`onError: 'null'\``,
  );
});

test('a field with the context `field` needs no row id', async () => {
  const { records, client } = await openFields();
  const { total } = await records.encryptRow('invoices', 1, { total: 5 });
  expect(await records.decryptRow('invoices', 2, { total })).toEqual({ total: 5 });
  const alone = defineFields({ invoices: { total: field.number({ context: 'field' }) } }).for(client);
  const stored = await alone.encryptRow('invoices', undefined, { total: 6 });
  expect(await alone.decryptRow('invoices', undefined, stored)).toEqual({ total: 6 });
});

test('a field with a context function decrypts what `client.encrypt` encrypted with the same context', async () => {
  const { client } = await openFields();
  const ciphertext = await client.encrypt('Ada', { context: { user: '7' } });
  const name = field.text({ context: ({ row }) => ({ user: row }) });
  const records = defineFields({ users: { name } }).for(client);
  expect(await records.decryptRow('users', 7, { name: ciphertext })).toEqual({ name: 'Ada' });
  const forgotten = field.text({ context: (() => undefined) as never });
  const failed = errorOf(
    defineFields({ users: { name: forgotten } })
      .for(client)
      .encryptRow('users', 1, { name: 'x' }),
  );
  expect(await failed).toMatchObject({ code: 'input', field: 'name', row: '1' });
});

test('`decryptRow` throws if a column contains plaintext instead of a ciphertext', async () => {
  const { records } = await openFields();
  const error = await errorOf(records.decryptRow('users', 1, { name: 'Ada' }));
  expect(error.cause).toBeInstanceOf(FormatError);
  expect(error.message).toMatch(
    /^users\.name of row 1: the stored value must be a ciphertext, .* somebody wrote past Eaas.*`previous: plaintext\(\)`/,
  );
});

test('a field can allow ciphertexts as values', async () => {
  const { records, client } = await openFields();
  const { name } = await records.encryptRow('users', 1, { name: 'Ada' });
  const nested = defineFields({ users: { name: field.text({ allowCiphertexts: true }) } }).for(client);
  const twice = await nested.encryptRow('users', 1, { name: String(name) });
  expect(await nested.decryptRow('users', 1, twice)).toEqual({ name });
});

test('a row id that is too long for a context throws before a request', async () => {
  const { records, service, keyId } = await openFields();
  const stored = await records.encryptRow('users', 1, { name: 'Ada' });
  const before = service.requests.length;
  const cold = fields.for(new EaasClient({ ...service, keyId }), { index: 'service' });
  const id = 'x'.repeat(5_000);
  for (const work of [cold.decryptRow('users', id, stored), cold.encryptRow('users', id, { name: 'Ada' })]) {
    expect((await errorOf(work)).message).toContain('context must have at most 4096 bytes');
  }
  expect(service.requests).toHaveLength(before);
});

test('an invalid value throws before the first request, and the error does not contain the value', async () => {
  const { records, service } = await openFields();
  const bad: [object, string][] = [
    [{ name: 'secret \ud800' }, 'users.name of row 1: text must be valid Unicode (got a lone surrogate)'],
    [{ born: new Date('secret') }, 'users.born of row 1: expected a Date with a time'],
    [{ notes: { tags: ['secret', undefined] } }, 'users.notes of row 1: JSON cannot represent undefined'],
    [{ age: 'secret' }, 'users.age of row 1: expected a number'],
  ];
  for (const [row, message] of bad) {
    const error = await errorOf(records.encryptRow('users', 1, { ssn: 'fine', ...row }));
    expect(error.message).toContain(message);
    expect(error.cause).toBeInstanceOf(InputError);
    expect(inspect(error)).not.toContain('secret');
  }
  expect(service.requests).toEqual([]);
});

test('`encryptRow` replaces the given value of an index column', async () => {
  const { records } = await openFields();
  const stale = { email: 'ada@example.com', email_index: 'stale' };
  const { email_index } = await records.encryptRow('users', 1, stale);
  expect(email_index).toHaveLength(64);
  await expect(records.encryptRow('users', 1, { name: 'Ada', email_index })).rejects.toThrow(
    'the SDK computes the index column `email_index` from users.email: pass `email`,',
  );
});

test('each field is encrypted under its own keys and refuses ciphertexts under other keys', async () => {
  const { service, client, keyId } = await observedClient();
  const { key_id: emails } = await service.createKey('emails');
  const { key_id: people } = await service.createKey('people');
  const keyIds = { users: people, 'users.email': [emails.toUpperCase(), keyId] };
  const records = fields.for(client, { index: 'service', keyIds });
  const row = { email: 'ada@example.com', name: 'Ada' };
  const stored = await records.encryptRow('users', 1, row);
  const keyOf = (envelope: string): string => Buffer.from(envelope, 'base64').subarray(4, 20).toString('hex');
  expect([stored.email, stored.name].map(keyOf)).toEqual(
    [emails, people].map((id) => id.replaceAll('-', '')),
  );
  expect(await records.decryptRow('users', 1, stored)).toEqual(row);
  const before = await fields.for(client, { index: 'service' }).encryptRow('users', 1, row);
  expect(await records.decryptRow('users', 1, { email: before.email })).toEqual({ email: row.email });
  await expect(records.decryptRow('users', 1, { name: before.name })).rejects.toThrow(
    'users.name of row 1: decryption failed',
  );
});
