import { createHash, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { apiOf, settle, testWorld } from '@eaas/test-kit/world';
import { openAttacker, tables } from '@eaas/test-kit/attacker';

const world = await testWorld();
const attacker = await openAttacker(world);
const ann = await settle(world.replica(), 'ann');

async function everything(): Promise<string> {
  const texts: string[] = [];
  for (const table of tables) {
    const rows = await attacker.sql<
      { row: string }[]
    >`select to_jsonb(t)::text as row from eaas.${attacker.sql(table)} t`;
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n');
}

test('the database contains no plaintext, data key or token', async () => {
  const service = world.replica();
  const api = apiOf(service, ann.token);
  const { key_id } = await api('POST /v1/keys', { name: 'key' });
  const dek = Buffer.from('a data key that nobody may find!');
  const plaintext = 'a plaintext that nobody may find';
  const { wrapped_key } = await api('POST /v1/keys/:key_id/wrap', { key_id, dek: dek.toString('base64') });
  await api('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key });
  await api('POST /v1/keys/:key_id/rewrap', { key_id, wrapped_key });
  const { ciphertext, key_version } = await api('POST /v1/encrypt', { key_id, plaintext });
  await api('POST /v1/decrypt', { key_id, key_version, ciphertext });
  const { hash } = await api('POST /v1/hash', { key_id, value: plaintext });
  const { api_key: token } = await api('POST /v1/api-keys', { name: 'other', permissions: ['encrypt'] });

  const text = await everything();
  // The database contains the key id and the hash of the token. If the search works, the test finds them.
  expect(text).toContain(key_id);
  expect(text).toContain(createHash('sha256').update(token).digest('hex'));
  const root = (world.roots[0].key as KeyObject).export();
  const secrets = [dek, root, ...[plaintext, token, ann.token, hash].map((secret) => Buffer.from(secret))];
  for (const secret of secrets) {
    for (const spelling of ['utf8', 'hex', 'base64'] as const) {
      expect(text).not.toContain(secret.toString(spelling));
    }
  }
  for (const sent of [wrapped_key, ciphertext]) expect(text).not.toContain(sent);
});

test('the material of a destroyed key is erased from every table', async () => {
  const api = apiOf(world.replica(), ann.token);
  const { key_id } = await api('POST /v1/keys', { name: 'gone' });
  const [before] = await attacker.sql<{ sealed: Buffer; sealed_hash_key: Buffer }[]>`
    select sealed, sealed_hash_key from eaas.key_versions join eaas.keys using (key_id) where key_id = ${key_id}`;
  const sealed = [before?.sealed, before?.sealed_hash_key].map((bytes) => bytes?.toString('hex') ?? '');
  for (const hex of sealed) expect(await everything()).toContain(hex);
  await api('POST /v1/keys/:key_id/disable', { key_id });
  await api('DELETE /v1/keys/:key_id', { key_id, grace_days: 0 });
  for (const hex of sealed) expect(await everything()).not.toContain(hex);
});
