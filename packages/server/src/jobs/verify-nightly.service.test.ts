import { withLease } from '@eaas/test-kit/server';
import { beforeEach, expect, test, vi } from 'vitest';
import { alone } from '@eaas/test-kit/alone';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';
import { openAttacker, tables } from '@eaas/test-kit/attacker';
import { read } from '@eaas/test-kit/markdown';
import { isTurn, lastNight, nightAt, verifyNightly } from './verify-nightly.ts';

const never = new AbortController().signal;
const day = 24 * 60 * 60 * 1_000;

let told: { tenantId: string; reasons: string[] }[];

async function verify(signal = never) {
  const service = world.replica();
  await withLease(service, 'verify', signal, (lease) =>
    verifyNightly(service, lease, {
      broken: (tenantId, findings) =>
        void told.push({ tenantId, reasons: findings.map(({ reason }) => reason) }),
      incomplete: (tenantId) => void told.push({ tenantId, reasons: ['not complete'] }),
    }),
  );
  return lastNight(service);
}
const markers = () =>
  attacker.sql<{ tenant_id: string; broken: number }[]>`
    select tenant_id, broken::int from eaas.verifications where night > 0 and hash <> ''`;

const world = await testWorld('2026-09-01T03:00:00Z');
const attacker = await openAttacker(world);
const ann = await settle(world.replica(), 'ann');
const ben = await settle(world.replica(), 'ben');
await attacker.keep('fresh');
beforeEach(async () => {
  await attacker.restore('fresh');
  world.time = Date.parse('2026-09-01T03:00:00Z');
  told = [];
});

test('a failed verification of one tenant does not stop the others', async () => {
  const service = world.replica();
  vi.spyOn(service.background, 'snapshot').mockRejectedValueOnce(new Error('the database cannot be reached'));
  await expect(verifyNightly(service, alone(), { broken: () => {}, incomplete: () => {} })).rejects.toThrow(
    '1 of 2 failed',
  );
  expect(await markers()).toEqual([{ tenant_id: ben.tenantId, broken: 0 }]);
  expect(await lastNight(service)).toBeUndefined();
  expect(await verify()).toMatchObject({ broken: 0 });
  expect(await markers()).toHaveLength(2);
});

test('verify compares the rows, however many a table without MACs says that there are', async () => {
  const api = apiOf(world.replica(), ann.token);
  await api('POST /v1/keys', { name: 'counted' });
  await attacker.sql`update eaas.row_counts set n = 1000000`;
  expect(await api('GET /v1/audit/verify', {})).toMatchObject({ valid: true, rows_checked: true });
});

test('the nightly verification runs once per night on one of many replicas', async () => {
  await attacker.sql`update eaas.audit_entries set actor = 'system' where tenant_id = ${ann.tenantId}`;
  await Promise.all([verify(), verify(), verify(), verify()]);
  expect(await verify()).toMatchObject({ broken: 1 });
  expect(told).toEqual([{ tenantId: ann.tenantId, reasons: ['entry_changed'] }]);
  world.time += day - 1;
  await verify();
  expect(told).toHaveLength(1);
  world.time += 1;
  await verify();
  expect(told).toHaveLength(2);
});

const ofAnn = `where tenant_id = '${ann.tenantId}'`;
const spoil = (id: string) => `update eaas.audit_entries set actor = 'system' ${ofAnn} and id = ${id}`;
const mark = (change: string) => `update eaas.verifications set ${change} ${ofAnn}`;
const unmark = `delete from eaas.verifications ${ofAnn}`;
const takeBens = `update eaas.verifications set tenant_id = '${ann.tenantId}' where tenant_id = '${ben.tenantId}'`;
const forgeNight = `update eaas.verifications set night = night + 30 where hash = ''`;
test.each([
  ['only later entries in the next night', 1, '', []],
  ['all later entries', 1, spoil('(select max(id) from eaas.audit_entries)'), ['entry_changed']],
  ['the whole log in 30 nights', 30, '', ['entry_changed']],
  ['the rows in 30 nights', 30, `delete from eaas.keys ${ofAnn}`, ['entry_changed', 'rows_differ']],
  [
    'the whole log in the next night, if the marker has another id',
    1,
    mark('id = id + 1'),
    ['entry_changed'],
  ],
  ['the whole log, if it has another night', 1, mark('night = night - 1'), ['entry_changed']],
  ['the whole log, if it has another hash', 1, mark('hash = sha256(hash)'), ['entry_changed']],
  ['the whole log, if it was removed', 1, unmark, ['entry_changed']],
  ['the whole log, if it is that of another tenant', 1, `${unmark}; ${takeBens}`, ['entry_changed']],
  ['the logs, even if somebody else says that they were read', 30, forgeNight, ['entry_changed']],
])('a verification reads %s', async (_, nights, attack, reasons) => {
  const isNext = () => isTurn(ann.tenantId, nightAt(world.time), nightAt(world.time) + 1);
  if (isNext()) world.time += day;
  expect(await verify()).toMatchObject({ broken: 0 });
  await apiOf(world.replica(), ann.token)('POST /v1/keys', { name: 'later' });
  await attacker.sql.unsafe(spoil('1'));
  await attacker.sql.unsafe(attack);
  world.time += nights * day;
  await verify();
  expect(told.flatMap((one) => one.reasons)).toEqual(reasons);
});

test('new entries are compared with all that the log said before, also beside 1,000 erasures', async () => {
  const turnIn = (nights: number) => {
    const tonight = nightAt(world.time);
    return isTurn(ann.tenantId, tonight, tonight + nights);
  };
  while (turnIn(1)) world.time += day;
  const api = apiOf(world.replica(), ann.token);
  const { key_id } = await api('POST /v1/keys', { name: 'key' });
  const wrap = () =>
    apiOf(world.replica(), ann.token)('POST /v1/keys/:key_id/wrap', { key_id, dek, subject: 'ada' });
  await wrap();
  await attacker.keep('before_erasure');
  const { subject_id } = await api('POST /v1/subjects/erase', { subject: 'ada' });
  for (let nth = 0; nth < 1_001; nth++) {
    await api('POST /v1/subjects/erase', { subject: `person ${nth}`, create: true });
  }
  expect(await verify()).toMatchObject({ broken: 0 });

  // The person is back while somebody uses their key, and while the job reads rows.
  await attacker.putBack('before_erasure', 'subjects', `subject_id = '\\x${subject_id}'`);
  const record = `row_id = '${subject_id.slice(0, 32)}'::uuid`;
  await attacker.putBack('before_erasure', 'row_records', record);
  await wrap();
  told = [];
  world.time += day;
  await verify();
  expect(told).toEqual([{ tenantId: ann.tenantId, reasons: ['contradiction'] }]);
});

test('a log without the entry at which the last verification ended is found', async () => {
  await apiOf(world.replica(), ann.token)('POST /v1/keys', { name: 'lost' });
  expect(await verify()).toMatchObject({ broken: 0 });
  for (const table of tables.filter((one) => one !== 'verifications')) {
    await attacker.putBack('fresh', table, 'true');
  }
  world.time += day;
  await verify();
  expect(told).toEqual([{ tenantId: ann.tenantId, reasons: ['checkpoint_ahead'] }]);
  await attacker.sql`update eaas.verifications set broken = 0 where hash = ''`;
  expect(await lastNight(world.replica())).toBeUndefined();
});

test('a removed block is found, and what the runbook says repairs it', async () => {
  await attacker.sql`delete from eaas.audit_blocks where tenant_id = ${ann.tenantId} and of = 'by operator'`;
  expect(await verify()).toMatchObject({ broken: 1 });
  expect(told).toEqual([{ tenantId: ann.tenantId, reasons: ['blocks_differ'] }]);
  const api = apiOf(world.replica(), ann.token);
  const errors = [{ id: 1, reason: 'blocks_differ' }];
  expect(await api('GET /v1/audit/verify', {})).toMatchObject({ valid: false, errors });
  const [, repair = ''] = /```sql([^`]*audit_blocks[^`]*)```/.exec(read('docs/operating/runbook.md')) ?? [];
  await attacker.sql.unsafe(repair);
  world.time += day;
  expect(await verify()).toMatchObject({ broken: 0 });
});

test('a night that nobody verified is made up for at any time, and the next one begins at 03:00 UTC', async () => {
  world.time = Date.parse('2026-09-01T02:59:59.999Z');
  expect(await verify()).toMatchObject({ finished_at: world.time });
  world.time += 1;
  expect(await verify()).toMatchObject({ finished_at: world.time });
});

test('if the clock of the database was set back, a verification with a later date does not count as done', async () => {
  const today = world.time;
  expect(await verify()).toMatchObject({ finished_at: today });
  world.time += 365 * day;
  expect(await verify()).toMatchObject({ finished_at: world.time });
  world.time = today + day / 2;
  expect(await verify()).toMatchObject({ finished_at: world.time });
});

test('an invalid row or secret of one tenant does not stop the nightly verification', async () => {
  await attacker.sql`update eaas.tenants set sealed_secret = '' where tenant_id = ${ann.tenantId}`;
  await attacker.sql`delete from eaas.tenants where tenant_id = ${ben.tenantId}`;
  const cat = await settle(world.replica(), 'cat');
  await attacker.sql`update eaas.audit_entries set actor = 'system' where tenant_id = ${cat.tenantId}`;
  expect(await verify()).toMatchObject({ broken: 3 });
  expect(new Set(told)).toEqual(
    new Set([
      { tenantId: ann.tenantId, reasons: [`tenant_changed: ${ann.tenantId}`] },
      { tenantId: ben.tenantId, reasons: [`tenant_missing: ${ben.tenantId}`] },
      { tenantId: cat.tenantId, reasons: ['entry_changed'] },
    ]),
  );
});

test('the next run of the nightly verification continues an interrupted verification', async () => {
  const stop = new AbortController();
  stop.abort();
  expect(await verify(stop.signal)).toBeUndefined();
  expect(await verify()).toMatchObject({ broken: 0 });
});
