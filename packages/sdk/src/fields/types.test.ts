import { assertType, expectTypeOf, test } from 'vitest';
import { observedClient } from '../../../../test/sdk/observed-client.ts';
import {
  boolean,
  bytes,
  date,
  defineFields,
  type Encrypted,
  type EncryptedRow,
  type Fingerprint,
  json,
  number,
  type SettledRow,
  text,
  unencrypted,
} from './fields.ts';

interface Notes {
  tags: string[];
}

const fields = defineFields({
  users: {
    ...unencrypted('id'),
    email: text().searchable({ normalize: ['trim', 'lowercase'] }),
    phone: text().searchable({ column: 'phone_mark', bits: 16 }),
    ssn: text({ context: 'field' }),
    born: date({ context: 'field' }).searchable({ lowEntropy: 'accepted' }),
    notes: json<Notes>(),
    photo: bytes(),
  },
  plans: { price: number({ context: 'field' }) },
});

const open = () => fields.for(observedClient().client, { index: 'service' });

interface User {
  id: string;
  email: string | null;
  ssn: string;
  notes?: Notes;
}

test('a stored row has ciphertexts, index columns and unchanged columns', async () => {
  const records = open();
  const user: User = { id: '1', email: 'ada@example.com', ssn: '1' };
  const stored = await records.encryptRow('users', user.id, user);
  expectTypeOf(stored).toEqualTypeOf<{
    id: string;
    email: Encrypted<'users.email', string> | null;
    ssn: Encrypted<'users.ssn', string>;
    notes?: Encrypted<'users.notes', Notes>;
    email_index: Fingerprint<'users.email'> | null;
  }>();
  expectTypeOf(stored).toEqualTypeOf<EncryptedRow<typeof fields, 'users', User>>();
  const opened = await records.decryptRow('users', user.id, stored);
  expectTypeOf(opened).toEqualTypeOf<{ id: string; email: string | null; ssn: string; notes?: Notes }>();
  const settled = await records.decryptRows('users', [stored], ({ id }) => id, { settled: true });
  expectTypeOf(settled).toEqualTypeOf<SettledRow<typeof opened>[]>();
});

test('`EncryptedRow` without a type for the row has the columns of the definition', () => {
  expectTypeOf<
    EncryptedRow<typeof fields, 'users'>['phone_mark']
  >().toEqualTypeOf<Fingerprint<'users.phone'> | null>();
  expectTypeOf<keyof EncryptedRow<typeof fields, 'plans'>>().toEqualTypeOf<'price'>();
});

test('plaintext, another ciphertext and a fingerprint are not assignable to a ciphertext', async () => {
  const records = open();
  const { email, email_index, ssn } = await records.encryptRow('users', 1, { email: 'a', ssn: 'b' });
  type Stored = EncryptedRow<typeof fields, 'users', User>;
  expectTypeOf<string>().not.toExtend<Stored['ssn']>();
  expectTypeOf(email).not.toExtend<Stored['ssn']>();
  expectTypeOf(email_index).not.toExtend<Stored['ssn']>();
  expectTypeOf(ssn).toExtend<Stored['ssn']>();
  expectTypeOf(ssn).toExtend<string>();
  assertType<() => unknown>(() => [
    // @ts-expect-error: the value is already encrypted
    records.encryptRow('users', 1, { email }),
    // @ts-expect-error: the ciphertext of another field
    records.decryptRow('users', 1, { ssn: email }),
  ]);
});

test('a row of a database driver is accepted', async () => {
  const records = open();
  const { email } = await records.encryptRow('users', 1, { email: 'ada@example.com' });
  const fromDriver: { id: number; email: string; email_index: string } = { id: 1, email, email_index: '' };
  const opened = await records.decryptRow('users', 1, fromDriver);
  expectTypeOf(opened).toEqualTypeOf<{ id: number; email: string }>();
});

test('values have the types of their fields when encrypting and when decrypting', async () => {
  const records = open();
  assertType<() => unknown>(() => [
    // @ts-expect-error: the value is not text
    records.encryptRow('users', 1, { email: 5 }),
    // @ts-expect-error: the value is not of the type Notes
    records.encryptRow('users', 1, { notes: { tags: 'x' } }),
    // @ts-expect-error: the table is not defined
    records.encryptRow('user', 1, { email: '' }),
    // @ts-expect-error: a column is not defined
    records.encryptRow('users', 1, { mail: 'ada@example.com' }),
    // @ts-expect-error: one of the two columns is not defined
    records.encryptRow('users', 1, { ssn: '1', mail: 'ada@example.com' }),
    // @ts-expect-error: a column is not defined
    records.encryptRows('users', [{ ssn: '1', mail: 'ada@example.com' }], () => 1),
    // @ts-expect-error: the field is bound to its row
    records.encryptRow('users', undefined, { email: '' }),
  ]);
});

test('`where` takes searchable fields and returns index columns', async () => {
  const records = open();
  const terms = await records.where('users', { email: 'a', phone: 'b' });
  expectTypeOf(terms).toEqualTypeOf<{
    email_index: Fingerprint<'users.email'>[];
    phone_mark: Fingerprint<'users.phone'>[];
  }>();
  assertType<() => unknown>(() => [
    // @ts-expect-error: the field is not searchable
    records.where('users', { ssn: '1' }),
    // @ts-expect-error: a search value cannot be null
    records.where('users', { email: null }),
    // @ts-expect-error: the value is not text
    records.where('users', { email: 5 }),
  ]);
});

test('synchronous calls take only fields without the row in their context', () => {
  const records = open();
  assertType<() => unknown>(() => {
    const born: Date | null = Math.random() < 1 ? new Date() : null;
    const stored = records.encryptFieldSync('users', 'born', born);
    expectTypeOf(stored).toEqualTypeOf<Encrypted<'users.born', Date> | null>();
    expectTypeOf(records.decryptFieldSync('users', 'born', stored)).toEqualTypeOf<Date | null>();
    // @ts-expect-error: the field is bound to its row
    return records.encryptFieldSync('users', 'email', 'ada@example.com');
  });
});

test('`reads` has a count for each field', () => {
  expectTypeOf<keyof ReturnType<ReturnType<typeof open>['reads']>>().toEqualTypeOf<
    'users.email' | 'users.phone' | 'users.ssn' | 'users.born' | 'users.notes' | 'users.photo' | 'plans.price'
  >();
});

test('`as` gives a column the type of its field', async () => {
  const records = open();
  const { ssn, email } = await records.encryptRow('users', 1, { ssn: '1', email: 'a' });
  const row = { id: 1, alias: ssn as string, other: email as string | null, count: 3 };
  assertType<() => unknown>(async () => {
    const opened = await records.decryptRow('users', 1, row, { as: { alias: 'born', other: null } });
    expectTypeOf(opened).toEqualTypeOf<{ id: number; alias: Date; other: string | null; count: number }>();
    const many = await records.decryptRows('users', [row], ({ id }) => id, { as: { alias: 'born' } });
    expectTypeOf(many).toEqualTypeOf<(typeof opened)[]>();
    // @ts-expect-error: the field does not exist
    await records.decryptRow('users', 1, row, { as: { alias: 'birth' } });
  });
});

test('the compiler error for plaintext in an encrypted column says what to do', () => {
  expectTypeOf<Encrypted<'users.ssn', string>>().toHaveProperty('encrypt it first: records.encryptRow');
});

test('a low-entropy field is searchable only if `lowEntropy` is accepted', () => {
  const { client } = observedClient();
  assertType<() => unknown>(() => [
    // @ts-expect-error: `lowEntropy` is not accepted
    number().searchable(),
    // @ts-expect-error: `lowEntropy` is not accepted
    boolean().searchable({ column: 'x' }),
    // @ts-expect-error: `lowEntropy` is not accepted
    date().searchable({ lowEntropy: true }),
    // @ts-expect-error: the field is not searchable
    json().searchable(),
    // @ts-expect-error: the field is not searchable
    bytes().searchable(),
    // @ts-expect-error: the field has no index
    fields.for(client),
    // @ts-expect-error: the field does not exist
    fields.for(client, { index: 'service', keyIds: { 'users.mail': '' } }),
    // @ts-expect-error: the option does not exist
    text({ contxt: 'field' }),
  ]);
});
