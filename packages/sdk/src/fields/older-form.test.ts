import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { checkConstraints, createIndexKey, defineFields, field, part, plaintext } from './fields.ts';

const { client } = await observedClient();
const index = await createIndexKey(client);
let writes = 0;
const read = (stored: unknown) => String(stored).slice(1);
const older = plaintext(read, { write: (text) => `-${text}` });
const random = plaintext(read, { write: async (text) => `${writes++ % 10}${text}` });
const withTag = (stored: unknown, { tag }: Readonly<Record<string, unknown>>) =>
  `${String(stored)}${String(tag)}`;
const name = field.text({ previous: plaintext(withTag, { columns: ['tag'] }) });
const email = field.text({ previous: older }).searchable().searchableBy({ words: part.words() });
const token = field.text({ previous: random }).searchable();
const fields = defineFields({ users: { lowEntropy: 'accepted', subject: 'person', email, token, name } });
const records = fields.for(client, { index });

test('a field with `write` stores the older form with a fingerprint, without an id and a person, and reads both forms', async () => {
  const row = { email: 'ada@x', person: null as never };
  const stored = await records.encryptRow('users', undefined as never, row);
  const { email_index } = await records.where('users', { email: 'ada@x' });
  expect(stored).toMatchObject({ email: '-ada@x', person: null, email_index: email_index[0] });

  const next = defineFields({ users: { subject: 'person', email: field.text() } }).for(client);
  const sealed = await next.encryptRow('users', 7, { email: 'eve@x', person: 'p' });
  const rows = [{ email: '-ada@x', name: 'A', tag: 'da', person: 'p' }, sealed];
  const opened = await records.decryptRows('users', rows, () => 7);
  expect(opened).toMatchObject([{ email: 'ada@x', name: 'Ada' }, { email: 'eve@x' }]);
});

test('what could not be found, bound or written is refused', async () => {
  const row = { email: 'ada@x', name: 'Ada', person: null as never };
  await expect(records.encryptRow('users', 7, row)).rejects.toThrow('`users.person` must name the person');
  const byPart = records.where('users', { email: { words: ['ada'] } as never });
  await expect(byPart).rejects.toThrow('users.email: a search by a part would miss values');
  const byToken = records.where('users', { token: 't' });
  await expect(byToken).rejects.toThrow('users.token: the version before stores');
  expect(() => checkConstraints(fields, 'users')).toThrow('users.email still writes what the version before');
  expect(() => plaintext(withTag, { columns: ['tag'], write: String })).toThrow('has parts in other columns');
});

const fail = (): never => {
  throw new Error('secret');
};

test.each<[string, (stored: unknown) => string, (value: string) => string]>([
  ['`write` of `plaintext` threw', String, fail],
  ['or `read` for what it wrote', fail, String],
  ['must return text or bytes: encrypt a column of another type', String, () => 7 as never],
  ['is read as a ciphertext', String, () => 'eaasAbob'],
])(
  'a value that cannot be written is not stored, and no error quotes it: %s',
  async (message, read, write) => {
    const email = field.text({ previous: plaintext(read, { write }) });
    const stored = defineFields({ users: { email } }).for(client).encryptRow('users', 7, { email: 'secret' });
    const error: unknown = await stored.catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/users\.email of row 7: /);
    expect(String(error)).toContain(message);
    expect(inspect(error)).not.toContain('secret');
  },
);
