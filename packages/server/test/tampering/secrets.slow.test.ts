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
