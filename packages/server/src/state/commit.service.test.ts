import { finish } from '@eaas/protocol/service';
import { expect, test, vi } from 'vitest';
import { apiOf, dek, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { insider } from './caller.ts';
import { updateTenant } from '../operations/tenants.ts';
import { Refusal } from '../base/refusal.ts';
import { appendLink, type Link } from '../store/append.ts';
import { findHead } from '../store/heads.ts';
import { chain, nextLink } from './chain.ts';
import { decide } from './decide.ts';
import type { TenantState, Waiting } from './tenant-view.ts';

const world = await testWorld('2026-11-20T10:00:00Z');
const attacker = await openAttacker(world);
const service = world.replica();
const ann = await settle(service, 'ann');
const api = apiOf(service, ann.token);
const { key_id } = await api('POST /v1/keys', { name: 'key' });

const lastId = async (): Promise<number> => {
  const [row] = await attacker.sql<{ id: number }[]>`select max(id)::int as id from eaas.audit_entries`;
  return row?.id ?? 0;
};
const wrap = () => api('POST /v1/keys/:key_id/wrap', { key_id, dek });
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? error.code : error),
  );

function waitingFor(metadata: readonly string[], state: TenantState): Waiting {
  const draft = { action: 'key.wrap', keyId: key_id, keyVersion: 1 } as const;
  const drafts = metadata.map((text) => ({ ...draft, metadata: text }));
  const by = { actor: 'system', ipAddress: null, validUntil: null, isEncrypt: false };
  const never = { becomePatient: () => {}, settle: () => {}, fail: () => {} };
  return { wish: { state, drafts, bytes: 1, ...by }, isGone: false, ...never };
}

async function linkOf(metadata: readonly string[], now: number): Promise<Link> {
  const view = await service.tenants.reload(ann.tenantId);
  if (!view) throw new Error('expected a tenant');
  const { state, head } = view;
  const waiting = waitingFor(metadata, state);
  const chained = finish(nextLink(chain(state, head, [waiting], now)));
  const link = 'lastLink' in chained ? chained.lastLink : undefined;
  if (!link) throw new Error('expected one link');
  return link;
}

test('a waiting request that already has a response gets no audit entry', async () => {
  const view = await service.tenants.reload(ann.tenantId);
  if (!view) throw new Error('expected a tenant');
  const gone = { ...waitingFor(['{"call":"gone"}'], view.state), isGone: true };
  const present = waitingFor(['{}'], view.state);
  const chained = finish(nextLink(chain(view.state, view.head, [gone, present], world.time)));
  expect(chained).toMatchObject({ chosen: [present] });
});

test('a request that exceeds its time limit before its append writes no audit entry', async () => {
  const before = await lastId();
  const caller = insider(ann.tenantId, 'operator');
  const late = decide(service, caller, async ({ state }) => {
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + 1_000_000);
    return { drafts: waitingFor(['{}'], state).wish.drafts, answer: 'done' };
  });
  await expect(late.finally(() => vi.restoreAllMocks())).rejects.toMatchObject({ code: 'audit_unwritten' });
  await wrap();
  expect(await lastId()).toBe(before + 1);
});

test.each([
  [1_000, 'written'],
  [1_001, 'clock'],
  [-10_000, 'written'],
  [-10_001, 'clock'],
])(
  'if the time of an entry is %i ms after the database’s time, the outcome of the append is %s',
  async (ahead, outcome) => {
    const now = world.time + ahead;
    const before = await lastId();
    const link = await linkOf(['{}'], now);
    const appended = await service.database.run((sql) => appendLink(sql, ann.tenantId, link, now));
    expect(appended).toEqual({ outcome, time: world.time });
    expect(await lastId()).toBe(before + (outcome === 'written' ? 1 : 0));
    const again = await service.database.run((sql) => appendLink(sql, ann.tenantId, link, now));
    expect(again.outcome).toBe(outcome === 'written' ? 'moved' : 'clock');
  },
);

test('each audit entry of a batch has the key and the context of its item', async () => {
  const other = await api('POST /v1/keys', { name: 'other' });
  const keys = [key_id, key_id, other.key_id, other.key_id, key_id, key_id, key_id, other.key_id];
  const contexts = [
    undefined,
    undefined,
    undefined,
    { a: '1' },
    { a: '1' },
    { a: '"' },
    { a: '"' },
    { a: '1' },
  ];
  const before = await lastId();
  const items = keys.map((id, index) => ({
    key_id: id,
    dek,
    ...(contexts[index] && { context: contexts[index] }),
  }));
  await api('POST /v1/batch/wrap', { items });
  const { logs } = await api('GET /v1/audit', { limit: keys.length });
  expect(logs.map(({ id, key_id, metadata }) => ({ id, key_id, metadata })).toReversed()).toEqual(
    keys.map((id, index) => ({
      id: before + 1 + index,
      key_id: id,
      metadata: contexts[index] ? { context: contexts[index] } : {},
    })),
  );
  expect(await api('GET /v1/audit/verify', {})).toMatchObject({ valid: true });
});

test('if only another replica has appended, a replica reads the head of the log again, and not the tenant', async () => {
  const other = world.replica();
  const wrapElsewhere = () => apiOf(other, ann.token)('POST /v1/keys/:key_id/wrap', { key_id, dek });
  await wrapElsewhere();
  await wrap();
  const read = vi.spyOn(other.tenants, 'read');
  const { conflicts } = other.counts;
  await wrapElsewhere();
  expect(other.counts.conflicts).toBe(conflicts + 1);
  expect(read).not.toHaveBeenCalled();
});

test('a batch of audit entries that is too large for one statement is written completely', async () => {
  const before = await lastId();
  const item = { key_id, dek, context: { text: '"'.repeat(1_900) } };
  const { appends } = service.counts;
  const items = Array.from({ length: 900 }, () => item);
  const { results } = await api('POST /v1/batch/wrap', { items });
  expect(results.filter((result) => 'wrapped_key' in result)).toHaveLength(900);
  expect(await lastId()).toBe(before + 900);
  expect(service.counts.appends - appends).toBeGreaterThan(2);
  expect(await api('GET /v1/audit/verify', {})).toMatchObject({ valid: true });
});

test('a call or a change whose audit entry can never be written fails with audit_unwritten, and the log has the reason', async () => {
  const before = await lastId();
  const logged: unknown[] = [];
  service.alarms.log = (fields) => void logged.push(fields);
  await attacker.sql`alter table eaas.audit_entries add constraint full_disk check (id <= ${attacker.sql.unsafe(String(before))})`;
  expect(await codeOf(wrap())).toBe('audit_unwritten');
  expect(await codeOf(api('POST /v1/keys', { name: 'another' }))).toBe('audit_unwritten');
  expect(await codeOf(api('POST /v1/keys/:key_id/rotate', { key_id }))).toBe('audit_unwritten');
  expect(await codeOf(api('POST /v1/api-keys', { name: 'x', permissions: ['encrypt'] }))).toBe(
    'audit_unwritten',
  );
  await attacker.sql`alter table eaas.audit_entries drop constraint full_disk`;
  expect(logged).toEqual([{ err: expect.objectContaining({ code: '23514' }) }]);
  expect(service.counts.failures).toBe(4);
  expect(await lastId()).toBe(before);
  expect(await api('GET /v1/keys/:key_id', { key_id })).toMatchObject({ key_version: 1 });
  expect(await statusOf(wrap())).toBe(200);
});

test('an append that fails by a bug, and a change that the database denies, say why, and the server is not ready', async () => {
  const own = world.replica();
  const here = apiOf(own, ann.token);
  const address = await world.serve(own);
  const ready = async () => (await fetch(`${address}/readyz`)).status;
  const wrapHere = () => codeOf(here('POST /v1/keys/:key_id/wrap', { key_id, dek }));
  const logged: unknown[] = [];
  own.alarms.log = (fields) => void logged.push(fields);
  expect([await wrapHere(), await ready()]).toEqual(['done', 200]);
  vi.spyOn(own.database, 'run').mockRejectedValueOnce(new TypeError('a bug'));
  expect([await wrapHere(), await ready(), own.counts.failures]).toEqual(['audit_unwritten', 503, 1]);
  expect(logged).toEqual([{ err: new TypeError('a bug') }]);
  expect([await wrapHere(), await ready()]).toEqual(['done', 200]);
  const { username } = world.database.connection('server');
  await attacker.sql`revoke insert on eaas.keys from ${attacker.sql(username)}`;
  expect(await codeOf(here('POST /v1/keys', { name: 'denied' }))).toBe('audit_unwritten');
  await attacker.sql`grant insert on eaas.keys to ${attacker.sql(username)}`;
  expect([await ready(), own.counts.failures]).toEqual([503, 2]);
});

test('only encrypt operations whose audit entry is written count against the quota', async () => {
  await updateTenant(service, ann.tenantId, { monthly_encrypt_quota: 2 });
  const encrypt = () => codeOf(api('POST /v1/encrypt', { key_id, plaintext: 'x' }));
  await attacker.sql`alter table eaas.audit_entries add constraint full_disk check (action <> 'encrypt')`;
  expect(await Promise.all([1, 2, 3, 4].map(encrypt))).toEqual([1, 2, 3, 4].map(() => 'audit_unwritten'));
  await attacker.sql`alter table eaas.audit_entries drop constraint full_disk`;
  const codes = await Promise.all([1, 2, 3, 4].map(encrypt));
  expect(codes.filter((code) => code === 'done')).toHaveLength(2);
  expect(codes.filter((code) => code === 'quota_exceeded')).toHaveLength(2);
  await updateTenant(service, ann.tenantId, { monthly_encrypt_quota: null });
});

test('the `state_hash` of a head is the hash of the last entry that changed the tenant', async () => {
  await api('POST /v1/keys', { name: 'third' });
  const changed = await service.database.run((sql) => findHead(sql, ann.tenantId));
  await wrap();
  const appended = await service.database.run((sql) => findHead(sql, ann.tenantId));
  expect(changed?.state_hash).toEqual(changed?.hash);
  expect(appended?.state_hash).toEqual(changed?.hash);
  expect(appended?.hash).not.toEqual(changed?.hash);
});

test('if another session locks the log of one tenant, only calls of this tenant fail', async () => {
  const bob = await settle(service, 'bob');
  const { key_id: other } = await apiOf(service, bob.token)('POST /v1/keys', { name: 'other' });
  await attacker.sql.begin(async (tx) => {
    await tx`select from eaas.audit_heads where tenant_id = ${ann.tenantId} for update`;
    setTimeLimits(1);
    expect(await codeOf(api('POST /v1/keys/:key_id/rotate', { key_id }))).toBe('audit_unwritten');
    expect(await codeOf(wrap())).toBe('audit_unwritten');
    setTimeLimits(20);
    await apiOf(service, bob.token)('POST /v1/keys/:key_id/wrap', { key_id: other, dek });
    expect(service.counts.failedAt).toBeNull();
  });
  expect(await codeOf(wrap())).toBe('done');
});
