import { pae } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { observedClient, routesOf } from '../../test/observed-client.ts';
import { endOf, tableOf } from '../../test/simulated-table.ts';
import { reencrypt } from '../reencrypt/reencrypt.ts';
import { createIndexKey, defineFields, lastCharacters, text, unencrypted } from './fields.ts';

const fields = defineFields({
  users: { ...unencrypted('id'), email: text().searchable({ normalize: ['trim', 'lowercase'] }) },
});
const email = 'Ada@example.org';

test('with `blind`, a search finds rows, and no request contains the value', async () => {
  const { service, make } = observedClient();
  const bodies: string[] = [];
  const client = make({
    fetch: async (input, init) => {
      const request = new Request(input, init);
      bodies.push(await request.clone().text());
      return service.fetch(request);
    },
  });
  const records = fields.for(client, { index: 'blind' });
  const stored = await records.encryptRow('users', 1, { email });
  const { email_index } = await records.where('users', { email: ' ada@example.ORG' });
  expect(email_index).toEqual([stored.email_index]);
  const preimage = pae('eaas field index v1', 'users', 'email', 'ada@example.org');
  expect(stored.email_index).toBe(await client.blindHash(preimage));
  expect(bodies.join('').toLowerCase()).not.toContain('ada@example');
  expect(routesOf(service)).not.toContain('hash');
});

test('encryptRows requests the blind hashes of all rows in one call, and shortens the hashes to `bits` bits', async () => {
  const { client, service } = observedClient();
  const short = defineFields({ users: { ...unencrypted('id'), email: text().searchable({ bits: 32 }) } });
  const rows = ['a', 'b', 'a'].map((email, id) => ({ id, email }));
  const stored = await short.for(client, { index: 'blind' }).encryptRows('users', rows, ({ id }) => `${id}`);
  expect(stored[0]?.email_index).toMatch(/^[\da-f]{8}$/);
  expect(stored[2]?.email_index).toBe(stored[0]?.email_index);
  expect(routesOf(service).filter((route) => route === 'hash/blind')).toHaveLength(1);
});

test('if `index` is a list, encryptRow uses only its first entry, and `where` uses all entries', async () => {
  const { client } = observedClient();
  const token = await createIndexKey(client);
  const marks = await Promise.all(
    ['blind', 'service', token].map(async (index) => {
      const { email_index } = await fields.for(client, { index }).where('users', { email });
      return String(email_index[0]);
    }),
  );
  expect(new Set(marks).size).toBe(3);
  const records = fields.for(client, { index: ['blind', 'service', token] });
  expect((await records.where('users', { email })).email_index).toEqual(marks.toSorted());
  expect((await records.encryptRow('users', 1, { email })).email_index).toBe(marks[0]);
});

test('a search uses one fingerprint for each key of the field', async () => {
  const { client, service, keyId } = observedClient();
  const other = service.createKey('other').key_id;
  const records = fields.for(client, { index: 'blind', keyIds: { users: [other, keyId] } });
  const { email_index } = await records.where('users', { email });
  expect(email_index).toHaveLength(2);
});

test('a field with `searchableBy` needs an index key, even if `index` contains `blind`', async () => {
  const { client } = observedClient();
  const byEnd = defineFields({
    users: {
      ...unencrypted('id'),
      email: text()
        .searchable()
        .searchableBy({ end: lastCharacters(3, { lowEntropy: 'accepted' }) }),
    },
  });
  expect(() => byEnd.for(client, { index: 'blind' })).toThrow('needs an index key');
  const records = byEnd.for(client, { index: ['blind', await createIndexKey(client)] });
  const stored = await records.encryptRow('users', 1, { email });
  const whole = await records.where('users', { email });
  const end = await records.where('users', { email: { end: 'org' } });
  expect(whole.email_index).toHaveLength(2);
  expect(whole.email_index).toContain(stored.email_index);
  expect(end.email_end_index).toEqual([stored.email_end_index]);
});

test.each(['service', 'token'])(
  '`reencrypt` replaces the fingerprints of %s by blind hashes',
  async (kind) => {
    const { client } = observedClient();
    const old = kind === 'service' ? 'service' : await createIndexKey(client);
    const people = defineFields({ people: { email: text().searchable({ column: 'phone' }) } });
    const table = tableOf([null]);
    table.set(1, await people.for(client, { index: old }).encryptRow('people', 1, { email }));
    const records = people.for(client, { index: ['blind', old] });
    const last = await endOf(
      reencrypt(client, table.store, {
        mode: 'custom',
        convert: async ({ id, values }) =>
          records.encryptRow('people', id, await records.decryptRow('people', id, values as never)),
      }),
    );
    expect(last).toMatchObject({ rewritten: 1, done: true });
    const { phone } = await people.for(client, { index: 'blind' }).where('people', { email });
    expect(table.rows.get(1)?.values.phone).toBe(phone[0]);
  },
);
