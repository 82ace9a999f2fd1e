import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { defineFields, field, plaintext } from './fields.ts';

const fields = defineFields({
  users: {
    name: field.text({ context: 'field' }),
    nick: field.text({ context: 'field', previous: plaintext() }),
    age: field.number({ context: 'field' }),
    email: field.text(),
    own: field.text({ context: () => ({}) }),
  },
});

async function primed() {
  const { client, service } = observedClient();
  await client.prime();
  return { client, service, records: fields.for(client) };
}

test('`decryptRow` can decrypt a ciphertext from `encryptFieldSync`, and `decryptFieldSync` a ciphertext from `encryptRow`', async () => {
  const { records, client } = await primed();
  const age = records.encryptFieldSync('users', 'age', 36);
  const { name } = await records.encryptRow('users', 1, { name: 'Ada' });
  await client.prime({ ciphertexts: [age, name] });
  expect(records.decryptFieldSync('users', 'age', age)).toBe(36);
  expect(records.decryptFieldSync('users', 'name', name)).toBe('Ada');
  expect(await records.decryptRow('users', 2, { age })).toEqual({ age: 36 });
});

test('synchronous calls return null and undefined unchanged', async () => {
  const { records } = await primed();
  expect(records.encryptFieldSync('users', 'age', null)).toBeNull();
  expect(records.decryptFieldSync('users', 'age', undefined)).toBeUndefined();
});

test.each(['email', 'own'])(
  'synchronous calls refuse a field whose context contains the row id: %s',
  async (field) => {
    const { records } = await primed();
    const message = `each ciphertext of users.${field} is bound to a row, but this call has no row`;
    expect(() => records.encryptFieldSync('users', field as 'name', 'Ada')).toThrow(message);
    expect(() => records.decryptFieldSync('users', field as 'name', 'Ada')).toThrow(message);
    expect(() => records.encryptFieldSync('users', field as 'name', null)).toThrow(message);
  },
);

test('decryptFieldSync refuses the ciphertext of another field', async () => {
  const { records, client } = await primed();
  const name = records.encryptFieldSync('users', 'name', 'Ada');
  await client.prime({ ciphertexts: [name] });
  expect(() => records.decryptFieldSync('users', 'nick', name as string)).toThrow(
    /^users\.nick: decryption failed/,
  );
});

test('if a field has the option `previous`, decryptFieldSync returns stored plaintext, and `reads()` counts it', async () => {
  const { records, client } = await primed();
  const nick = records.encryptFieldSync('users', 'nick', 'ace');
  await client.prime({ ciphertexts: [nick] });
  expect(records.decryptFieldSync('users', 'nick', nick)).toBe('ace');
  expect(records.decryptFieldSync('users', 'nick', 'ace')).toBe('ace');
  expect(records.reads()['users.nick']).toEqual({ encrypted: 1, plaintext: 1 });
  expect(() => records.decryptFieldSync('users', 'name', 'Ada')).toThrow(
    'users.name: the stored value must be a ciphertext',
  );
});

test('encryptFieldSync refuses a ciphertext and a value of another type', async () => {
  const { records } = await primed();
  const name = records.encryptFieldSync('users', 'name', 'Ada');
  expect(() => records.encryptFieldSync('users', 'name', String(name))).toThrow('is already encrypted');
  expect(() => records.encryptFieldSync('users', 'age', '36' as never)).toThrow(
    'users.age: expected a number',
  );
});
