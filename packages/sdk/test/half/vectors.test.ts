// The bytes of the second half, against a second implementation in node:crypto.
import { sealStream } from '@eaas/protocol/stream';
import { sha256Hex } from '@eaas/test-kit/bytes';
import { formatIndexKey } from '@eaas/protocol/internal';
import * as kit from '@eaas/test-kit/decoder';
import { vectors } from '@eaas/test-kit/vectors';
import { expect, test, vi } from 'vitest';
import { defineFields, field } from '../../src/fields/fields.ts';
import { bytesOf, observedClient } from '../observed-client.ts';

const ofKind = (kind: RegExp) => vectors('half').vectors.filter((vector) => kind.test(vector.kind));
const hex = (text: string | null): Buffer => Buffer.from(text ?? '', 'hex');
const fields = defineFields({ users: { ssn: field.text().searchable() } });

test.each(ofKind(/ v[12]/))('the second implementation opens and seals $kind, $name', async (vector) => {
  const { key_id, context } = vector;
  const own = vector.half_hex === null ? null : hex(vector.half_hex);
  const mixed = kit.mixed(own, key_id, hex(vector.dek_hex).toString('base64'));
  expect(Buffer.from(mixed, 'base64')).toEqual(hex(vector.dek_mixed_hex));
  const { client, make, keyId } = await observedClient({ half: own });
  const { ciphertext, wrapped_key } = await client.encrypt('from the client', { context, as: 'bundle' });
  const wrapped = { keyId, keyVersion: 1, wrappedKey: Buffer.from(wrapped_key, 'base64') };
  const dek = kit.mixed(own, keyId, Buffer.from(await client.unwrap(wrapped)).toString('base64'));
  for (const near of vector.others_that_must_not_fit?.filter((other) => !/^0+$/.test(other)) ?? []) {
    await expect(make({ half: hex(near) }).decrypt(ciphertext, { context })).rejects.toThrow('decryption');
  }
  expect(kit.openEnvelope(ciphertext, dek, context).toString()).toBe('from the client');
  const other = kit.sealEnvelope(ciphertext, dek, 'from elsewhere', context);
  expect(await make().decrypt(other, { context, as: 'text' })).toBe('from elsewhere');
});

test.each(ofKind(/^envelope v1/))('the second implementation opens $name', (vector) => {
  const plaintext = kit.openEnvelope(
    vector.ciphertext,
    hex(vector.dek_mixed_hex).toString('base64'),
    vector.context,
  );
  expect(plaintext.toString('hex')).toBe(vector.plaintext_hex);
});

test.each(ofKind(/^stream v2/))('the key that $name mixes makes its chunks', async (vector) => {
  const drawn = [vector.dek_mixed_hex, vector.salt_hex].map(hex);
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    (array as unknown as Uint8Array).set(drawn.shift() ?? []);
    return array;
  });
  const wrapped = { keyId: vector.key_id, keyVersion: 1, wrappedKey: new Uint8Array(78).fill(1) };
  const content = new Blob(['a'.repeat(vector.plaintext_length)]);
  const sealed = content.stream().pipeThrough(sealStream(() => wrapped, { context: vector.context }));
  const chunks = (await bytesOf(sealed)).slice(-vector.chunks_length);
  expect(await sha256Hex(chunks)).toBe(vector.chunks_sha256);
  vi.restoreAllMocks();
});

test.each(ofKind(/^index/))('$name makes the fingerprints', async ({ half_hex, index_key_hex, ...of }) => {
  const token = of.token_key_hex === null ? null : hex(of.token_key_hex);
  expect(kit.halfIndexKey(hex(half_hex), token)).toEqual(hex(index_key_hex));
  const { client } = await observedClient({ half: hex(half_hex) });
  const wrapContext = { purpose: 'eaas index key v1' };
  const index = token ? formatIndexKey(await client.wrap(token, { wrapContext })) : 'half';
  const found = await fields.for(client, { index }).where('users', { ssn: '123456789' });
  const preimage = kit.pae('eaas field index v1', 'users', 'ssn', '123456789');
  expect(found.ssn_index).toEqual([kit.hmac(hex(index_key_hex), preimage).toString('hex')]);
});

test.each(ofKind(/^text/))('$name is the half of its bytes, and has its id', async ({ half_hex, text }) => {
  const { half_id_hex = '' } = ofKind(/^id/).find((id) => id.half_hex === half_hex) ?? {};
  const own = hex(half_hex);
  expect(kit.tokenOf(own, 'eaas_half_')).toBe(text);
  const { client, make, events } = await observedClient({ half: text });
  expect(await make({ half: own }).decrypt(await client.encrypt('x'), { as: 'text' })).toBe('x');
  const minted = { type: 'data_key.minted', half: kit.halfId(own) };
  expect(events).toContainEqual(expect.objectContaining(minted));
  expect(minted.half).toContain(half_id_hex);
});
