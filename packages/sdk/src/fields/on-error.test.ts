import { inspect } from 'node:util';
import { expect, expectTypeOf, test, vi } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { decryptNested, defineFields, field, FieldError, unencrypted } from './fields.ts';

const fields = defineFields({
  users: {
    ...unencrypted('id', 'city'),
    name: field.text(),
    age: field.number(),
  },
});

async function openUsers() {
  const { service, client, make } = await observedClient();
  const records = fields.for(client);
  const users = [1, 2, 3].map((id) => ({ id, name: `user ${id}`, age: id, city: 'Turin' }));
  const stored = await records.encryptRows('users', users, ({ id }) => id);
  return { service, client, make, records, users, stored };
}

const idOf = ({ id }: { id: number }) => id;

/** Changes one byte of a ciphertext in base64. */
function flipped(ciphertext: string, at: number): string {
  const bytes = Buffer.from(ciphertext, 'base64');
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes.toString('base64');
}

/** Replaces a column of the second row by a value that cannot be decrypted. */
const badValues: [string, (stored: string, other: string) => unknown, string][] = [
  ['copied from another row', (_, other) => other, 'decryption'],
  ['that was altered', (stored) => flipped(stored, 120), 'decryption'],
  ['whose wrapped key was altered', (stored) => flipped(stored, 40), 'decryption'],
  ['under another key', (stored) => flipped(stored, 5), 'decryption'],
  ['under another version of the key', (stored) => flipped(stored, 22), 'decryption'],
  ['of another version of the format', (stored) => flipped(stored, 3), 'format'],
  ['that is plaintext', () => 'secret', 'format'],
];

test.each(badValues)(
  'a value %s fails the call, is null with `null`, and what the function returns with a function',
  async (_, change, code) => {
    const { records, users, stored } = await openUsers();
    const rows: Record<string, unknown>[] = stored.map((row) => ({ ...row }));
    const [, second] = rows;
    if (second) second['name'] = change(String(second['name']), String(stored[0]?.name));
    const read = (onError: 'null' | ((error: FieldError, row: object) => unknown)) =>
      records.decryptRows('users', rows as typeof stored, idOf, { onError });
    expect(await read('null')).toEqual(users.map((user) => (user.id === 2 ? { ...user, name: null } : user)));
    const onError = vi.fn((error: FieldError) => `unreadable: ${error.row}`);
    expect((await read(onError))[1]).toEqual({ ...users[1], name: 'unreadable: 2' });
    expect(onError.mock.calls).toEqual([[expect.any(FieldError), second]]);
    const error = onError.mock.calls[0]?.[0];
    expect(error).toMatchObject({ table: 'users', field: 'name', row: '2', code });
    expect(error?.message).toMatch(/^users\.name of row 2: .*; to read the rest, pass `onError: 'null'`$/);
    expect(inspect(error)).not.toContain('secret');
    await expect(records.decryptRows('users', rows as typeof stored, idOf)).rejects.toBeInstanceOf(
      FieldError,
    );
  },
);

test.each(['network', 'permission_missing', 'key_state'] as const)(
  'a call that fails with `%s` throws, whatever `onError` is',
  async (failure) => {
    const { service, make, stored } = await openUsers();
    const records = fields.for(make({ retries: 0 }));
    service.failNext(failure, { times: 10 });
    const onError = vi.fn(() => 'substitute');
    for (const handler of ['null', onError] as const) {
      const reading = records.decryptRows('users', stored, idOf, { onError: handler });
      await expect(reading).rejects.toMatchObject({ name: 'FieldError', code: failure });
    }
    expect(onError).not.toHaveBeenCalled();
  },
);

test('an error of the function fails the call, and so does a promise', async () => {
  const { records, stored } = await openUsers();
  const row = { ...stored[0], id: 2 } as (typeof stored)[number];
  const mine = new Error('mine');
  const throwing = records.decryptRows('users', [row], idOf, {
    onError: () => {
      throw mine;
    },
  });
  await expect(throwing).rejects.toBe(mine);
  const waiting = records.decryptRows('users', [row], idOf, { onError: async () => null });
  await expect(waiting).rejects.toThrow('the function `onError` must return a value (got a promise)');
  const wrong = records.decryptRow('users', 2, row, { onError: 'skip' as 'null' });
  await expect(wrong).rejects.toThrow("must be 'throw', 'null' or a function");
});

test('`settled` and `decryptNested` take the option too', async () => {
  const { records, users, stored } = await openUsers();
  const moved = { ...stored[0], id: 2 } as (typeof stored)[number];
  const broken = { ...users[0], id: 2, name: null, age: null };
  const settled = await records.decryptRows('users', [moved], idOf, { settled: true, onError: 'null' });
  expect(settled).toEqual([{ ok: true, value: broken }]);
  const shape = { table: 'users', nested: { friends: { table: 'users' } } } as const;
  const rows = [{ ...stored[0], id: 1, friends: [moved] }] as ((typeof stored)[number] & {
    friends: typeof stored;
  })[];
  const nested = await decryptNested(records, rows, shape, { onError: 'null' });
  expect(nested).toEqual([{ ...users[0], friends: [broken] }]);
  expectTypeOf<(typeof nested)[0]['friends'][0]['name']>().toEqualTypeOf<string | null>();
});
