import { assertType, expectTypeOf, test } from 'vitest';
import { clientAndKey } from '../../../../test/sdk/client-and-key.ts';
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
} from './fields.ts';

interface Notes {
  tags: string[];
}

const fields = defineFields({
  users: {
    email: text().searchable({ normalize: ['trim', 'lowercase'] }),
    phone: text().searchable({ column: 'phone_mark', bits: 16 }),
    ssn: text({ context: 'field' }),
    born: date({ context: 'field' }).searchable({ lowEntropy: 'accepted' }),
    notes: json<Notes>(),
    photo: bytes(),
  },
  plans: { price: number({ context: 'field' }) },
});

const open = () => fields.for(clientAndKey().client, { index: 'service' });

interface User {
  id: string;
  email: string | null;
  ssn: string;
  notes?: Notes;
}

test('a stored row has ciphertexts for values, index columns, and all else as it was', async () => {
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

test('the columns of a table are known without a row', () => {
  expectTypeOf<EncryptedRow<typeof fields, 'users'>['phone_mark']>().toEqualTypeOf<
    Fingerprint<'users.phone'>
  >();
  expectTypeOf<keyof EncryptedRow<typeof fields, 'plans'>>().toEqualTypeOf<'price'>();
});

test('plaintext, another ciphertext or a fingerprint cannot stand where a ciphertext must', async () => {
  const records = open();
  const { email, email_index, ssn } = await records.encryptRow('users', 1, { email: 'a', ssn: 'b' });
  type Stored = EncryptedRow<typeof fields, 'users', User>;
  expectTypeOf<string>().not.toExtend<Stored['ssn']>();
  expectTypeOf(email).not.toExtend<Stored['ssn']>();
  expectTypeOf(email_index).not.toExtend<Stored['ssn']>();
  expectTypeOf(ssn).toExtend<Stored['ssn']>();
  expectTypeOf(ssn).toExtend<string>();
  assertType<() => unknown>(() => [
    // @ts-expect-error: encrypted already
    records.encryptRow('users', 1, { email }),
    // @ts-expect-error: the ciphertext of another field
    records.decryptRow('users', 1, { ssn: email }),
  ]);
});

test('a row of the database layer is taken as it comes', async () => {
  const records = open();
  const { email } = await records.encryptRow('users', 1, { email: 'ada@example.com' });
  const fromDriver: { id: number; email: string; email_index: string } = { id: 1, email, email_index: '' };
  const opened = await records.decryptRow('users', 1, fromDriver);
  expectTypeOf(opened).toEqualTypeOf<{ id: number; email: string }>();
});

test('values have the types of their fields', async () => {
  const records = open();
  assertType<() => unknown>(() => [
    // @ts-expect-error: not text
    records.encryptRow('users', 1, { email: 5 }),
    // @ts-expect-error: not Notes
    records.encryptRow('users', 1, { notes: { tags: 'x' } }),
    // @ts-expect-error: no such table
    records.encryptRow('user', 1, { email: '' }),
    // @ts-expect-error: none of its fields
    records.encryptRow('users', 1, { mail: 'ada@example.com' }),
    // @ts-expect-error: bound to its row
    records.encryptRow('users', undefined, { email: '' }),
  ]);
});

test('a query names fields that are searchable, and answers their index columns', async () => {
  const records = open();
  const terms = await records.where('users', { email: 'a', phone: 'b' });
  expectTypeOf(terms).toEqualTypeOf<{
    email_index: Fingerprint<'users.email'>[];
    phone_mark: Fingerprint<'users.phone'>[];
  }>();
  assertType<() => unknown>(() => [
    // @ts-expect-error: not searchable
    records.where('users', { ssn: '1' }),
    // @ts-expect-error: null has no fingerprint
    records.where('users', { email: null }),
    // @ts-expect-error: not text
    records.where('users', { email: 5 }),
  ]);
});

test('one value at a time is for fields that are bound to no row', () => {
  const records = open();
  assertType<() => unknown>(() => {
    const born: Date | null = Math.random() < 1 ? new Date() : null;
    const stored = records.encryptFieldSync('users', 'born', born);
    expectTypeOf(stored).toEqualTypeOf<Encrypted<'users.born', Date> | null>();
    expectTypeOf(records.decryptFieldSync('users', 'born', stored)).toEqualTypeOf<Date | null>();
    // @ts-expect-error: bound to its row
    return records.encryptFieldSync('users', 'email', 'ada@example.com');
  });
});

test('counts have a name for each field', () => {
  expectTypeOf<keyof ReturnType<ReturnType<typeof open>['reads']>>().toEqualTypeOf<
    'users.email' | 'users.phone' | 'users.ssn' | 'users.born' | 'users.notes' | 'users.photo' | 'plans.price'
  >();
});

test('low entropy is said aloud, or refused', () => {
  const { client } = clientAndKey();
  assertType<() => unknown>(() => [
    // @ts-expect-error: not said
    number().searchable(),
    // @ts-expect-error: not said
    boolean().searchable({ column: 'x' }),
    // @ts-expect-error: other words
    date().searchable({ lowEntropy: true }),
    // @ts-expect-error: not searchable at all
    json().searchable(),
    // @ts-expect-error: not searchable at all
    bytes().searchable(),
    // @ts-expect-error: not said where the index is made
    fields.for(client),
    // @ts-expect-error: no such field
    fields.for(client, { index: 'service', keyIds: { 'users.mail': '' } }),
    // @ts-expect-error: no such option
    text({ contxt: 'field' }),
  ]);
});
