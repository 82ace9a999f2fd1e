import { expect, test } from 'vitest';
import { alone } from '@eaas/test-kit/alone';
import { openAttacker, tables } from '@eaas/test-kit/attacker';
import { apiOf, dek, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { countUsage } from '../jobs/housekeeping.ts';
import { destroyTenant } from './tenants.ts';

const world = await testWorld();
const service = world.replica();
const attacker = await openAttacker(world);
const { sql } = attacker;
const resident = await settle(service, 'ann');
const api = apiOf(service, resident.token);
const { key_id } = await api('POST /v1/keys', { name: 'key' });
const wrapFor = (subject: string, user?: string) =>
  api('POST /v1/keys/:key_id/wrap', { key_id, dek, subject, ...(user !== undefined && { user }) });
const erase = (subject: string) => api('POST /v1/subjects/erase', { subject });

async function file(): Promise<Buffer> {
  await sql`checkpoint`;
  const [row] = await sql<{ bytes: Buffer }[]>`
    select pg_read_binary_file(pg_relation_filepath('eaas.subjects')) as bytes`;
  return row?.bytes ?? Buffer.alloc(0);
}

test('after an erasure and VACUUM FULL, the file of the table has no byte of the sealed secret', async () => {
  await wrapFor('gone');
  await wrapFor('stays');
  const [stored] = await sql<
    { sealed: Buffer }[]
  >`select sealed from eaas.subjects order by created_id limit 1`;
  const sealed = stored?.sealed ?? Buffer.alloc(0);
  expect(sealed.length).toBeGreaterThan(40);
  expect((await file()).includes(sealed)).toBe(true);
  await erase('gone');
  const pieces = Array.from({ length: Math.floor(sealed.length / 8) - 1 }, (_, nth) =>
    sealed.subarray(8 * nth + 8, 8 * nth + 16),
  );
  // VACUUM keeps what a transaction that began before the erasure could still read.
  await expect
    .poll(async () => {
      await sql`vacuum full eaas.subjects`;
      const after = await file();
      return after.length > 0 && pieces.every((piece) => !after.includes(piece));
    })
    .toBe(true);
});

test('no table has the name of a subject or a user', async () => {
  const names = ['canary-subject-5d1f', 'canary-user-5d1f'] as const;
  const { wrapped_key } = await wrapFor(...names);
  const [subject, user] = names;
  await api('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key, subject, user });
  await erase(subject);
  await countUsage(service, alone());
  for (const table of tables) {
    const [row] = await sql<
      { text: string | null }[]
    >`select string_agg(t::text, '') as text from eaas.${sql(table)} t`;
    for (const name of names) {
      expect(row?.text ?? '').not.toContain(name);
      expect(row?.text ?? '').not.toContain(Buffer.from(name).toString('hex'));
    }
  }
});

test('a wrap that is refused because the subject was erased does not count as one', async () => {
  await wrapFor('counted');
  await erase('counted');
  await countUsage(service, alone());
  const wraps = async () => (await api('GET /v1/usage', {})).operations['key.wrap'];
  const before = await wraps();
  expect(before).toBeGreaterThan(0);
  expect(await statusOf(wrapFor('counted'))).toBe(409);
  expect(await statusOf(wrapFor('counted', 'someone'))).toBe(409);
  await countUsage(service, alone());
  expect(await wraps()).toBe(before);
  const context = { outcome: 'refused', subject: '0'.repeat(32) };
  await api('POST /v1/keys/:key_id/wrap', { key_id, dek, context, user: 'someone' });
  await countUsage(service, alone());
  expect(await wraps()).toBe(before + 1);
});

test('a tenant that is destroyed leaves no subject', async () => {
  const other = await settle(service, 'ben');
  const theirs = apiOf(service, other.token);
  const key = await theirs('POST /v1/keys', { name: 'key' });
  await theirs('POST /v1/keys/:key_id/wrap', { key_id: key.key_id, dek, subject: 'gone' });
  const count = async () => (await sql`select from eaas.subjects where tenant_id = ${other.tenantId}`).count;
  expect(await count()).toBe(1);
  await destroyTenant(sql as never, other.tenantId);
  expect(await count()).toBe(0);
});
