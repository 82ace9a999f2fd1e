import { claim } from '@eaas/test-kit/types';
import { assertType, expectTypeOf } from 'vitest';
import { observedClient } from './observed-client.ts';
import {
  createIndexKey,
  defineFields,
  type Encrypted,
  type EncryptedRow,
  field,
  type Fingerprint,
  part,
  unencrypted,
  withFields,
} from '../src/fields/fields.ts';

interface Notes {
  tags: string[];
}

const fields = defineFields({
  users: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    email: field.text().searchable({ normalize: ['trim', 'lowercase'] }),
    phone: field.text().searchable({ column: 'phone_mark', bits: 16 }),
    ssn: field.text({ context: 'field' }),
    born: field.date({ context: 'field' }).searchable(),
    notes: field.json<Notes>(),
    photo: field.bytes(),
  },
  plans: { price: field.number({ context: 'field' }) },
});

const open = async () => fields.for((await observedClient()).client, { index: 'service' });

interface User {
  id: string;
  email: string | null;
  ssn: string;
  notes?: Notes;
}

claim('the type of a stored row has ciphertexts, index columns and unchanged columns', async () => {
  const records = await open();
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
});

claim(
  'the type of a ciphertext excludes plaintext, fingerprints, and ciphertexts of other fields',
  async () => {
    const records = await open();
    const { email, email_index, ssn } = await records.encryptRow('users', 1, { email: 'a', ssn: 'b' });
    type Stored = EncryptedRow<typeof fields, 'users', User>;
    expectTypeOf<string>().not.toExtend<Stored['ssn']>();
    expectTypeOf(email).not.toExtend<Stored['ssn']>();
    expectTypeOf(email_index).not.toExtend<Stored['ssn']>();
    expectTypeOf(ssn).toExtend<Stored['ssn']>();
    expectTypeOf(ssn).toExtend<string>();
    assertType<() => unknown>(() => [
      // @ts-expect-error: the value is not of the type Notes
      records.encryptRow('users', 1, { notes: { tags: 'x' } }),
      // @ts-expect-error: the column `mail` is not defined
      records.encryptRow('users', 1, { mail: 'ada@example.com' }),
      // @ts-expect-error: the field `email` needs the id of its row
      records.encryptRow('users', undefined, { email: '' }),
      // @ts-expect-error: the value is already encrypted
      records.encryptRow('users', 1, { email }),
      // @ts-expect-error: the ciphertext belongs to another field
      records.decryptRow('users', 1, { ssn: email }),
      // @ts-expect-error: the field `ssn` is not searchable
      records.where('users', { email: 'a', ssn: 'b' }),
    ]);
  },
);

const byParts = defineFields({
  patients: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    ssn: field
      .text()
      .searchable()
      .searchableBy({ last4: part.lastCharacters(4) }),
    name: field.text().searchableBy({
      words: part.words({ column: 'name_marks' }),
      and_born: withFields(['born']),
    }),
    born: field.date().searchableBy({ month: part.months() }),
  },
});

claim('the type of `where` accepts each index name with its query type', async () => {
  const { client } = await observedClient();
  const records = byParts.for(client, { index: await createIndexKey(client) });
  const born = new Date('1815-12-10');
  const terms = await records.where('patients', {
    ssn: { last4: '6789' },
    name: { words: 'ada', and_born: { name: 'Ada', born } },
    born: { month: { from: born, to: born } },
  });
  expectTypeOf(terms).toEqualTypeOf<{
    ssn_last4_index: Fingerprint<'patients.ssn'>[];
    name_marks: Fingerprint<'patients.name'>[][];
    name_and_born_index: Fingerprint<'patients.name'>[];
    born_month_index: Fingerprint<'patients.born'>[];
  }>();
  const whole = await records.where('patients', { ssn: '123-45-6789' });
  expectTypeOf(whole).toEqualTypeOf<{ ssn_index: Fingerprint<'patients.ssn'>[] }>();
  assertType<() => unknown>(() => [
    // @ts-expect-error: the field `name` has no index for the whole value
    records.where('patients', { name: 'Ada' }),
    // @ts-expect-error: the query lacks a field of the index
    records.where('patients', { name: { and_born: { name: 'Ada' } } }),
    // @ts-expect-error: a definition with indexes requires the option `index`
    byParts.for(client),
    // @ts-expect-error: a date field cannot have an index for text
    field.date().searchableBy({ last4: part.lastCharacters(4) }),
  ]);
});
