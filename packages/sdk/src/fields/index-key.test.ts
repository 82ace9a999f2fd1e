import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { EaasClient } from '../index.ts';
import { createIndexKey, defineFields, field, rewrapIndexKey } from './fields.ts';
import { indexKeyOf } from './fingerprints.ts';

const fields = defineFields({ users: { email: field.text().searchable() } });
const query = { email: 'ada@example.com' };

test('a local index unwraps its index key once', async () => {
  const { client, service, keyId } = await observedClient();
  const token = await createIndexKey(client);
  const sent: string[] = [];
  const { baseUrl, apiKey } = service;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    sent.push(await request.clone().text());
    return service.fetch(request);
  };
  const records = fields.for(new EaasClient({ baseUrl, apiKey, fetch, keyId }), { index: token });
  await Promise.all([records.where('users', query), records.where('users', { email: 'b' })]);
  await records.where('users', query);
  expect(sent).toHaveLength(1);
  const value = Buffer.from(query.email);
  expect(sent.join()).not.toMatch(new RegExp(`${query.email}|${value.toString('base64').slice(0, 16)}`));
});

test('each token that `createIndexKey` returns contains a different index key', async () => {
  const { client, keyId } = await observedClient();
  const tokens = await Promise.all([createIndexKey(client), createIndexKey(client)]);
  expect(tokens[0]).toMatch(new RegExp(`^eaas_ik_1\\.${keyId}\\.1\\.[\\w+/=]+$`));
  const terms = await Promise.all(tokens.map((index) => fields.for(client, { index }).where('users', query)));
  expect(terms[0]).not.toEqual(terms[1]);
});

test('rewrapIndexKey moves a token to another key and keeps the index valid', async () => {
  const { client, service } = await observedClient();
  const token = await createIndexKey(client);
  const { key_id } = await service.createKey('next');
  const moved = await rewrapIndexKey(client, token, { keyId: key_id });
  expect(moved).toContain(key_id);
  const [before, after] = await Promise.all(
    [token, moved].map((index) => fields.for(client, { index }).where('users', query)),
  );
  expect(after).toEqual(before);
});

test('an index key of another environment is called that, in every call that needs it', async () => {
  const token = await createIndexKey((await observedClient()).client);
  const { client } = await observedClient();
  const named =
    /the index key was made with the key [\da-f-]{36}, which .* is it the index key of another environment\?/;
  const records = fields.for(client, { index: token });
  for (const call of [
    () => records.where('users', query),
    () => records.encryptRow('users', 'u', query),
    () => rewrapIndexKey(client, token),
  ]) {
    await expect(call()).rejects.toThrow(named);
    await expect(call()).rejects.toMatchObject({ code: 'not_found' });
  }
});

test.each(['Service', 'eaas_ik_1.x.1.AAAA'])(
  'the option `index` with the value %j is refused',
  async (index) => {
    const { client } = await observedClient();
    expect(() => fields.for(client, { index })).toThrow("`index` must be 'service' or a token");
  },
);

test('after a failed unwrap of an index key, the next call unwraps again', async () => {
  const { client, service } = await observedClient({ retries: 0 });
  const records = fields.for(client, { index: await createIndexKey(client) });
  service.failNext('network');
  await expect(records.where('users', query)).rejects.toMatchObject({ code: 'network', field: 'email' });
  expect((await records.where('users', query)).email_index).toHaveLength(1);
});

test('after `records.close()`, fingerprints cannot be computed, but rows can be decrypted', async () => {
  const { client } = await observedClient();
  const records = fields.for(client, { index: await createIndexKey(client) });
  const stored = await records.encryptRow('users', 1, query);
  records.close();
  await expect(records.where('users', query)).rejects.toMatchObject({ code: 'closed' });
  await expect(records.encryptRow('users', 1, query)).rejects.toMatchObject({ code: 'closed' });
  expect(await records.decryptRow('users', 1, stored)).toEqual(query);
});

test('the client overwrites the bytes of an index key after use', async () => {
  const { client } = await observedClient();
  const seen: Uint8Array[] = [];
  const wrap: typeof client.wrap = (dek, options) => {
    seen.push(dek);
    return client.wrap(dek, options);
  };
  const unwrap: typeof client.unwrap = async (wrapped, options) => {
    const dek = await client.unwrap(wrapped, options);
    expect(dek.some((byte) => byte !== 0)).toBe(true);
    seen.push(dek);
    return dek;
  };
  const token = await rewrapIndexKey({ wrap, unwrap }, await createIndexKey({ wrap }));
  const [fingerprint] = await indexKeyOf(token).macs({ unwrap }, new Uint8Array(1));
  expect(fingerprint).toHaveLength(64);
  expect(seen).toEqual(Array.from({ length: 4 }, () => new Uint8Array(32)));
});
