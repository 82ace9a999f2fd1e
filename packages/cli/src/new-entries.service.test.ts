import { beforeEach, expect, test } from 'vitest';
import { alone } from '@eaas/test-kit/alone';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { countUsage, purge } from '@eaas/test-kit/server';
import { newEntries, type Position } from './new-entries.ts';

const api = () => apiOf(world.replica(), ann.token);
const wrap = () => api()('POST /v1/keys/:key_id/wrap', { key_id, dek });

async function stream(sent?: Position) {
  const ids: number[] = [];
  const notices: string[] = [];
  let position = sent;
  for await (const piece of newEntries(world.replica(), ann.tenantId, sent)) {
    ids.push(...piece.entries.map(({ id }) => id));
    if (piece.notice) notices.push(`${piece.notice.reason} ${piece.notice.id}`);
    position = piece.position ?? position;
  }
  return { ids, notices, position };
}

const world = await testWorld('2026-01-31T00:00:00Z');
const attacker = await openAttacker(world);
const ann = await settle(world.replica(), 'ann');
const { key_id } = await api()('POST /v1/keys', { name: 'key' });
for (let day = 1; day <= 6; day++) {
  world.time = Date.UTC(2026, 1, day, 12);
  await wrap();
}
await attacker.keep('fresh');
beforeEach(async () => {
  await attacker.restore('fresh');
  world.time = Date.UTC(2026, 1, 7);
});

test('a stream sends every entry once, and a later stream continues after the last position', async () => {
  const first = await stream();
  expect(first).toMatchObject({ ids: [1, 2, 3, 4, 5, 6, 7, 8], notices: [], position: { id: 8 } });
  expect(await stream(first.position)).toMatchObject({ ids: [], notices: [] });
  await wrap();
  await wrap();
  expect(await stream(first.position)).toMatchObject({ ids: [9, 10], notices: [], position: { id: 10 } });
});

test('a stream of a tenant that does not exist sends nothing', async () => {
  const pieces = [];
  for await (const piece of newEntries(world.replica(), crypto.randomUUID(), undefined)) pieces.push(piece);
  expect(pieces).toEqual([]);
});

test.each([
  ['action', "action = 'key.unwrap'"],
  ['metadata', `metadata = '{"a":"b"}'`],
  ['hash', "hash = decode(repeat('00', 32), 'hex')"],
  ['MAC', "mac = decode(repeat('00', 32), 'hex')"],
])('an entry with a changed %s is not sent, and neither are later entries', async (_, change) => {
  await attacker.sql.unsafe(`update eaas.audit_entries set ${change} where id = 6`);
  expect(await stream()).toMatchObject({
    ids: [1, 2, 3, 4, 5],
    notices: ['entry_changed 6'],
    position: { id: 5 },
  });
});

test('a missing entry is reported, and later entries are not sent', async () => {
  await attacker.sql`delete from eaas.audit_entries where id = 6`;
  expect(await stream()).toMatchObject({ ids: [1, 2, 3, 4, 5], notices: ['entry_missing 6'] });
});

test('missing entries at the end of a log are reported', async () => {
  await attacker.sql`delete from eaas.audit_entries where id >= 7`;
  expect(await stream()).toMatchObject({ ids: [1, 2, 3, 4, 5, 6], notices: ['entry_missing 7'] });
});

test('a log that was put back to an older state is reported', async () => {
  await wrap();
  const { position } = await stream();
  await attacker.restore('fresh');
  expect(await stream(position)).toMatchObject({ ids: [], notices: ['log_went_back 9'] });
  world.time += 1;
  await wrap();
  // The log was replaced by a log of the same length with a different last entry.
  expect(await stream(position)).toMatchObject({ ids: [], notices: ['log_went_back 9'] });
});

test('purged entries that were not sent are reported, and the next entries are sent', async () => {
  const sent = await stream();
  await countUsage(world.replica(), alone());
  world.time = Date.UTC(2026, 2, 3, 18);
  await wrap();
  await countUsage(world.replica(), alone());
  await purge(world.replica(), 1, alone());
  const first = { id: 1, hash: '00'.repeat(32) };
  expect(await stream(first)).toMatchObject({ ids: [6, 7, 8, 9], notices: ['entries_purged 5'] });
  expect(await stream()).toMatchObject({ ids: [6, 7, 8, 9], notices: [] });
  expect(await stream(sent.position)).toMatchObject({ ids: [9], notices: [] });
});

test("a stream fails if an attacker has changed the tenant's row", async () => {
  await attacker.sql`update eaas.tenants set name = 'bob' where tenant_id = ${ann.tenantId}`;
  await expect(stream()).rejects.toThrow('integrity check');
});
