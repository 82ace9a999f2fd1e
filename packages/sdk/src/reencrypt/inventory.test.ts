import { parseEnvelope } from '@eaas/protocol';
import { EaasError, InputError } from '@eaas/sdk';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { clientOf, endOf, tableOf } from '../../test/simulated-table.ts';
import { createIntake } from '../intake/intake.ts';
import { inventory, reencrypt, storedValues } from './reencrypt.ts';

test('the inventory counts values by key, version and wrapped key, without a request', async () => {
  const { client, service, keyId } = observedClient();
  const { key_id: other } = service.createKey('other');
  const shared = await client.encryptMany(['a', 'b', 'c']);
  const fresh = await client.encrypt('d', { fresh: true });
  await client.keys.rotate({ key_id: keyId });
  const newer = await client.encrypt('e', { as: 'bytes', scope: 'newer' });
  const elsewhere = await client.encrypt('f', { keyId: other });
  const ciphertexts = shared.map((one) => (one.ok ? one.value.ciphertext : ''));
  const before = service.requests.length;
  const found = await inventory([
    ...ciphertexts,
    fresh.ciphertext,
    newer,
    elsewhere.ciphertext,
    null,
    'plain',
    'eaasAQ',
  ]);
  expect(service.requests).toHaveLength(before);
  expect(found).toMatchObject({ values: 9, empty: 1, plaintexts: 1, broken: 1 });
  const exact = { wrapped_keys_exact: true, streams: 0, intake: 0 };
  const versions = [
    { key_version: 1, values: 4, wrapped_keys: 2, ...exact },
    { key_version: 2, values: 1, wrapped_keys: 1, ...exact },
  ];
  expect(found.keys).toHaveLength(2);
  expect(found.keys.find(({ key_id }) => key_id === keyId)?.versions).toEqual(versions);
  expect(found.keys.find(({ key_id }) => key_id === other)?.versions).toMatchObject([{ values: 1 }]);
});

test('the inventory tells at most 100,000 wrapped keys apart, and says when there are more', async () => {
  const { client } = observedClient();
  const sealed = await client.encrypt('a', { as: 'bytes' });
  const view = new DataView(sealed.buffer, sealed.byteOffset);
  const tag = parseEnvelope(sealed).length - 4;
  function* values(count: number) {
    for (let n = 0; n < count; n++) {
      view.setUint32(tag, n);
      yield sealed;
      yield sealed;
    }
  }
  const useOf = async (count: number) => (await inventory(values(count))).keys[0]?.versions;
  expect(await useOf(100_000)).toMatchObject([
    { values: 200_000, wrapped_keys: 100_000, wrapped_keys_exact: true },
  ]);
  expect(await useOf(100_001)).toMatchObject([
    { values: 200_002, wrapped_keys: 100_000, wrapped_keys_exact: false },
  ]);
});

test('values that were encrypted with a public key count as `intake` until a run rewraps them', async () => {
  const { client, service } = observedClient();
  const { key_id: keyId } = service.createKey('forms', { intake: true });
  const { intakePublicKey } = await client.publicKey(keyId);
  const intake = createIntake({ publicKey: intakePublicKey ?? '' });
  const theirs = await Promise.all(['a', 'b'].map((value) => intake.encrypt(value)));
  const ours = await client.encrypt('c', { keyId });
  const table = tableOf([...theirs, ours].map(({ ciphertext }) => ciphertext));
  const versions = async () => (await inventory(storedValues(table.store))).keys[0]?.versions;
  expect(await versions()).toMatchObject([{ key_version: 1, values: 3, intake: 2, wrapped_keys: 3 }]);
  await endOf(reencrypt(client, table.store, { mode: 'rewrap' }));
  expect(await versions()).toMatchObject([{ key_version: 1, values: 3, intake: 0, wrapped_keys: 3 }]);
});

test('the inventory reads the key version of an encrypted stream from the header of the stream', async () => {
  const { client, keyId } = observedClient();
  const stream = await client.encrypt('the same header but for its version', { as: 'bytes' });
  stream[3] = 2;
  const { keys } = await inventory([stream]);
  expect(keys).toMatchObject([{ key_id: keyId, versions: [{ key_version: 1, values: 1, streams: 1 }] }]);
});

test('with the option `client`, the inventory also contains unused key versions and the counts of the service', async () => {
  const { client, keyId, service } = observedClient();
  const old = await client.encrypt('a');
  await client.keys.rotate({ key_id: keyId });
  const table = tableOf([(await client.encrypt('b', { fresh: true })).ciphertext]);
  await clientOf(service, { keyId }).decrypt(old);
  const { keys } = await inventory(storedValues(table.store, { pageSize: 1 }), { client });
  expect(keys).toMatchObject([{ key_id: keyId, key_version: 2, status: 'active' }]);
  expect(keys[0]?.versions).toMatchObject([
    { key_version: 1, values: 0, wrapped_keys: 0, wraps: 1, unwraps: 1, last_unwrap_at: expect.any(String) },
    { key_version: 2, values: 1, wrapped_keys: 1, wraps: 1, unwraps: 0, last_unwrap_at: null },
  ]);
});

test('an inventory reports every key in `keyIds`, even an unused or unknown key', async () => {
  const { client, keyId } = observedClient();
  const elsewhere = observedClient();
  const foreign = await elsewhere.client.encrypt('a');
  const { keys } = await inventory([foreign.ciphertext], { client, keyIds: [keyId.toUpperCase()] });
  expect(keys).toHaveLength(2);
  expect(keys.find(({ key_id }) => key_id === keyId)).toMatchObject({
    status: 'active',
    versions: [{ values: 0 }],
  });
  expect(keys.find(({ key_id }) => key_id === elsewhere.keyId)).not.toHaveProperty('status');
});

test('an inventory throws without the permission `keys.read` or after an abort', async () => {
  const { service, client } = observedClient();
  const { ciphertext } = await client.encrypt('a');
  const { api_key: apiKey } = service.createApiKey({ permissions: ['encrypt'] });
  const limited = clientOf({ ...service, apiKey });
  await expect(inventory([ciphertext], { client: limited })).rejects.toMatchObject({
    code: 'permission_missing',
  });
  const aborted = inventory([ciphertext], { signal: AbortSignal.abort() });
  await expect(aborted).rejects.toBeInstanceOf(EaasError);
});

test('the inventory throws InputError if `read` returns the last row of the previous page again', async () => {
  const { store } = tableOf(['a', 'b']);
  const read = ({ after = 1, limit }: { after: number | undefined; limit: number }) =>
    store.read({ after: after - 1, limit });
  await expect(inventory(storedValues({ read }))).rejects.toBeInstanceOf(InputError);
});

test('an inventory ignores the columns in `except`', async () => {
  const { client } = observedClient();
  const rows = [
    { id: 1, values: { email: (await client.encrypt('a')).ciphertext, email_index: 'f00d' } },
    { id: 2, values: { email: (await client.encrypt('b')).ciphertext, email_index: 'beef' } },
  ];
  const read = async ({ after = 0 }: { readonly after: number | undefined }) =>
    rows.filter(({ id }) => id > after).slice(0, 1);
  expect(await inventory(storedValues({ read }))).toMatchObject({ values: 4, plaintexts: 2 });
  const found = await inventory(storedValues({ read }, { except: ['email_index'] }));
  expect(found).toMatchObject({ values: 2, plaintexts: 0 });
  const misspelt = storedValues({ read }, { except: ['emial_index' as 'email_index'] });
  await expect(inventory(misspelt)).rejects.toThrow(
    '`except` contains `emial_index`, but the rows have only the columns email, email_index',
  );
});

const forged = (seed: number, version = 1): Uint8Array => {
  const bytes = new Uint8Array(100);
  bytes.set([0x79, 0xa6, 0xac, 1]);
  const view = new DataView(bytes.buffer);
  view.setUint32(4, seed);
  view.setUint32(20, version);
  view.setUint16(24, 1);
  return bytes;
};

test('values under more than 10,000 key versions count as `others`, except under the keys of `keyIds`', async () => {
  const { client, keyId } = observedClient();
  const { ciphertext } = await client.encrypt('a');
  function* values() {
    for (let seed = 0; seed < 10_500; seed++) yield forged(seed);
    yield forged(0);
    yield ciphertext;
  }
  const found = await inventory(values());
  expect(found.keys).toHaveLength(10_000);
  expect(found).toMatchObject({ values: 10_502, others: 501 });
  const listed = await inventory(values(), { keyIds: [keyId] });
  expect(listed.keys.find(({ key_id }) => key_id === keyId)?.versions).toMatchObject([{ values: 1 }]);
  expect(listed).toMatchObject({ values: 10_502, others: 500 });
});

test('forged versions of a key in `keyIds` take only the places of that key', async () => {
  const { client, keyId } = observedClient();
  const { ciphertext } = await client.encrypt('a');
  const other = await client.encrypt('b', { as: 'bytes' });
  const version = new DataView(other.buffer, other.byteOffset);
  function* values() {
    for (let at = 0; at < 10_500; at++) {
      version.setUint32(20, at + 2);
      yield other;
    }
    yield forged(1);
    yield ciphertext;
  }
  const found = await inventory(values(), { keyIds: [keyId] });
  expect(found).toMatchObject({ values: 10_502, others: 501 });
  expect(found.keys).toHaveLength(2);
});
