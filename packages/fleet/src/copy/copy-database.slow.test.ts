import { countUsage, createService, openPool, type Pool, purge } from '@eaas/test-kit/server';
import {
  Database,
  destroyTenant,
  KeyHosts,
  readClock,
  Refusal,
  rootKey,
  rotateRootKey,
  type Service,
  verifyChain,
} from '@eaas/server/internal';
import { beforeEach, expect, test } from 'vitest';
import { readToken } from '@eaas/protocol/service';
import type { Input } from '@eaas/protocol/wire';
import { newIssuer } from '@eaas/test-kit/calls';
import { closing } from '@eaas/test-kit/closing';
import { migrated, type TestDatabase, testDatabase } from '@eaas/test-kit/database';
import { type Api, apiOf, dek, type Resident, settle, statusOf } from '@eaas/test-kit/world';
import { alone } from '@eaas/test-kit/alone';
import { keyHost } from '@eaas/test-kit/key-host';
import { newSignIn } from '@eaas/test-kit/sign-in';
import { nightlyVerify } from '../nightly/nightly-verify.ts';
import { copyDatabase, type CopyReport } from './copy-database.ts';

interface Side {
  readonly place: TestDatabase;
  readonly service: Service;
  readonly owner: Pool;
}

let source: Side;
let target: Side;
let ann: Resident;
let api: Api;
let keyId: string;

async function newSide(): Promise<Side> {
  const place = await testDatabase(migrated);
  const service = await closing(serviceOn(place), (it) => it.database.close());
  await readClock(service);
  const owner = await closing(openPool(place.connection('superuser'), 1), (it) => it.end());
  return { place, service, owner };
}

function serviceOn(place: TestDatabase, keyHosts = new KeyHosts([])): Service {
  const database = new Database(place.connection('server'), 8);
  return createService({ database, roots: [rootKey(new Uint8Array(32).fill(5))], keyHosts });
}

beforeEach(async () => {
  source = await newSide();
  target = await newSide();
  ann = await settle(source.service, 'ann');
  api = apiOf(source.service, ann.token);
  ({ key_id: keyId } = await api('POST /v1/keys', { name: 'key' }));
});

async function copy(from: Side, to: Side, isMove = false): Promise<CopyReport[]> {
  const reports: CopyReport[] = [];
  const databases = { source: from.service, target: to.service };
  for await (const report of copyDatabase(databases, { isMove, tell: () => () => {} })) reports.push(report);
  return reports;
}

/** Purges the log, as if two months had passed. */
async function purgeAll({ owner, service }: Side): Promise<void> {
  const setTime = (time: string) =>
    owner.unsafe(
      `create or replace function eaas.now_ms() returns bigint language sql volatile return (${time})::bigint`,
    );
  const later = Date.now() + 60 * 86_400_000;
  await setTime(String(later));
  const clock = { now: () => later, learn: () => {}, wallClockError: () => 0 };
  await purge({ ...service, clock }, 1, alone());
  await setTime('extract(epoch from clock_timestamp()) * 1000');
}

const wrapIn = (service: Service, times = 1): Promise<number> =>
  statusOf(
    apiOf(service, ann.token)('POST /v1/batch/wrap', {
      items: Array.from({ length: times }, () => ({ key_id: keyId, dek })),
    }),
  );
const verified = (service: Service) => verifyChain(service, ann.tenantId);
const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? `${error.code}: ${error.message}` : String(error)),
  );

async function rowsOf({ owner }: Side, table: string): Promise<unknown> {
  const [row] = await owner<{ rows: unknown }[]>`
    select json_agg(t order by t::text) as rows from eaas.${owner(table)} t`;
  return row?.rows;
}

test('a copy without a move changes nothing in the source, and the target serves nobody', async () => {
  const before = await rowsOf(source, 'audit_heads');
  expect(await copy(source, target)).toMatchObject([{ state: 'copied', name: 'ann', closed_ms: null }]);
  expect(await rowsOf(source, 'audit_heads')).toEqual(before);
  expect(await wrapIn(source.service)).toBe(200);
  expect(await wrapIn(target.service)).toBe(503);
  expect(await copy(source, target)).toMatchObject([{ state: 'copied', entry_id: 3 }]);
});

test('after a move, only the target serves the tenant, with everything that the source had', async () => {
  await api('POST /v1/keys/:key_id/rotate', { key_id: keyId });
  const doomed = await api('POST /v1/keys', { name: 'doomed' });
  await api('POST /v1/keys/:key_id/disable', { key_id: doomed.key_id });
  await api('DELETE /v1/keys/:key_id', { key_id: doomed.key_id, grace_days: 0 });
  await api('POST /v1/keys', { name: 'doomed' });
  const expiring = await api('POST /v1/api-keys', {
    name: 'one',
    permissions: ['encrypt'],
    key_ids: [keyId],
  });
  await api('DELETE /v1/api-keys/:api_key_id', { api_key_id: expiring.api_key_id });
  await wrapIn(source.service, 1_000);
  await countUsage(source.service, alone());
  await copy(source, target);
  await wrapIn(source.service, 30);
  const usage = await api('GET /v1/usage', {});
  const { total } = await api('GET /v1/keys', {});
  const [moved] = await copy(source, target, true);
  expect(moved).toMatchObject({ state: 'moved', name: 'ann' });
  expect(moved?.closed_ms).toBeGreaterThan(0);
  for (const table of ['audit_entries', 'tenants', 'keys', 'key_versions', 'api_keys', 'row_records']) {
    expect({ table, rows: await rowsOf(target, table) }).toEqual({
      table,
      rows: await rowsOf(source, table),
    });
  }
  for (const table of ['usage', 'key_version_uses', 'usage_cursors', 'api_key_uses', 'entry_counts']) {
    expect({ table, rows: await rowsOf(target, table) }).toEqual({
      table,
      rows: await rowsOf(source, table),
    });
  }
  expect(await wrapIn(source.service)).toBe(503);
  expect(await statusOf(api('GET /v1/keys/:key_id', { key_id: keyId }))).toBe(503);
  expect(await statusOf(api('POST /v1/hash', { key_id: keyId, value: 'x' }))).toBe(503);
  expect(await statusOf(api('POST /v1/keys/:key_id/rotate', { key_id: keyId }))).toBe(503);
  expect(await statusOf(api('GET /v1/audit', {}))).toBe(503);
  const there = apiOf(target.service, ann.token);
  expect(await there('GET /v1/usage', {})).toEqual(usage);
  expect(await there('GET /v1/keys', {})).toMatchObject({ total });
  expect(await wrapIn(target.service)).toBe(200);
  await countUsage(target.service, alone());
  expect((await there('GET /v1/usage', {})).operations['key.wrap']).toBe(usage.operations['key.wrap'] + 1);
  expect(await verified(target.service)).toMatchObject({ valid: true, error_count: 0 });
  expect(target.service.tenants.timelines.wentBack + source.service.tenants.timelines.wentBack).toBe(0);
  expect(target.service.alarms.tamperingFound + source.service.alarms.tamperingFound).toBe(0);
});

test('a move takes the fetched keys of a sign-in along, so that it needs no host', async () => {
  const signIn = newSignIn();
  const host = await keyHost({ keys: [signIn.jwk] });
  const open = (side: Side) =>
    closing(serviceOn(side.place, new KeyHosts([host.host])), (it) => it.database.close());
  const [from, to] = [await open(source), await open(target)];
  const input = { ...newIssuer(keyId), jwks: undefined, jwks_uri: host.uri } as Input<'POST /v1/issuers'>;
  const { issuer_id: issuerId } = await apiOf(from, ann.token)('POST /v1/issuers', input);
  const text = signIn.token('ann');
  const token = { ...readToken(text), issuerId, text, hash: text };
  const find = ({ tenants }: Service) => tenants.signIns.find(token, { arrivedAt: performance.now() });
  expect(await find(from)).toMatchObject({ tenantId: ann.tenantId });
  await copy(source, target, true);
  host.answer = (request) => request.socket.destroy();
  expect(await find(to)).toMatchObject({ tenantId: ann.tenantId });
  expect(host.count).toBe(1);
  expect(await rowsOf(target, 'key_sets')).toEqual(await rowsOf(source, 'key_sets'));
});

test('requests during a move return 200 or 503, and the same audit entries are in both databases after the move', async () => {
  const waiting = Array.from({ length: 40 }, (_, nth) => wrapIn(source.service, (nth % 3) + 1));
  const [[moved], statuses] = await Promise.all([copy(source, target, true), Promise.all(waiting)]);
  expect(moved?.state).toBe('moved');
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(await rowsOf(target, 'audit_entries')).toEqual(await rowsOf(source, 'audit_entries'));
});

test('after a move, the head of the log in the source has a negative `state_id` and a longer MAC, which earlier versions refuse', async () => {
  await copy(source, target, true);
  const [head] = await source.owner<{ state_id: number; mac: Buffer }[]>`
    select state_id::int, mac from eaas.audit_heads`;
  expect(head?.state_id).toBeLessThan(0);
  // The column `mac` of a closed tenant contains 17 bytes that mark the tenant as closed, and then the MAC of 32 bytes.
  // Earlier versions of the service accept only 32 bytes in this column.
  expect(head?.mac.length).toBe(49);
});

test('if a tenant was closed in the source but could not be opened in the target, the next command completes the move', async () => {
  await target.owner`alter table eaas.audit_heads add constraint stays_closed check (state_id < 0)`;
  await expect(copy(source, target, true)).rejects.toThrow('stays_closed');
  expect([await wrapIn(source.service), await wrapIn(target.service)]).toEqual([503, 503]);
  await target.owner`alter table eaas.audit_heads drop constraint stays_closed`;
  expect(await copy(source, target)).toMatchObject([{ state: 'moved' }]);
  expect([await wrapIn(source.service), await wrapIn(target.service)]).toEqual([503, 200]);
  expect(await copy(source, target, true)).toMatchObject([{ state: 'moved', entry_id: null }]);
  expect(await verified(target.service)).toMatchObject({ valid: true });
});

test('subjects are copied with their erasures, also those of purged entries, and open in the target as in the source', async () => {
  const wrapFor = async (caller: Api, subjects: readonly string[]) => {
    const items = subjects.map((subject) => ({ key_id: keyId, dek, subject }));
    const { results } = await caller('POST /v1/batch/wrap', { items });
    return results.map((result, at) => ({
      key_id: keyId,
      subject: subjects[at] ?? '',
      wrapped_key: 'wrapped_key' in result ? result.wrapped_key : '',
    }));
  };
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, nth) => `${prefix} ${nth}`);
  const erase = (caller: Api, subject: string, create = false) =>
    caller('POST /v1/subjects/erase', { subject, create });
  const wrapped = await wrapFor(api, names('purged', 50));
  await erase(api, 'purged 0');
  await countUsage(source.service, alone());
  await purgeAll(source);
  for (let batch = 0; batch < 6; batch++) wrapped.push(...(await wrapFor(api, names(`batch ${batch}`, 999))));
  await erase(api, 'batch 0 0');
  await copy(source, target);
  // The target has these rows already, living.
  for (const subject of ['batch 0 1', 'batch 5 998', 'purged 1']) await erase(api, subject);
  wrapped.push(...(await wrapFor(api, names('new', 3))));
  await erase(api, 'new 0');
  await erase(api, 'unknown', true);
  expect(await copy(source, target, true)).toMatchObject([{ state: 'moved' }]);
  expect(await rowsOf(target, 'subjects')).toEqual(await rowsOf(source, 'subjects'));
  const there = apiOf(target.service, ann.token);
  const opened: string[] = [];
  for (let from = 0; from < wrapped.length; from += 1_000) {
    const { results } = await there('POST /v1/batch/unwrap', { items: wrapped.slice(from, from + 1_000) });
    opened.push(...results.map((result) => ('dek' in result ? 'open' : result.error.code)));
  }
  const erased = wrapped.filter((_, at) => opened[at] === 'subject_erased').map(({ subject }) => subject);
  expect(erased.toSorted()).toEqual([
    'batch 0 0',
    'batch 0 1',
    'batch 5 998',
    'new 0',
    'purged 0',
    'purged 1',
  ]);
  expect(opened.filter((one) => one === 'open')).toHaveLength(wrapped.length - erased.length);
  expect(await statusOf(wrapFor(there, ['unknown']))).toBe(200);
  expect((await wrapFor(there, ['unknown']))[0]?.wrapped_key).toBe('');
  expect(await verified(target.service)).toMatchObject({
    valid: true,
    purged_through: { id: expect.any(Number) },
  });
  await erase(there, 'new 1');
  wrapped.push(...(await wrapFor(there, ['moved'])));
  expect(await copy(target, source, true)).toMatchObject([{ state: 'moved' }]);
  expect(await rowsOf(source, 'subjects')).toEqual(await rowsOf(target, 'subjects'));
  expect(await verified(source.service)).toMatchObject({ valid: true });
});

test('an interrupted copy continues after its last committed portion', async () => {
  for (let nth = 0; nth < 11; nth++) expect(await wrapIn(source.service, 1_000)).toBe(200);
  await target.owner`alter table eaas.audit_entries add constraint interrupted check (id <= 10500)`;
  await expect(copy(source, target)).rejects.toThrow('interrupted');
  const [before] = await target.owner<{ id: number }[]>`select id::int from eaas.audit_heads`;
  expect(before?.id).toBe(10_000);
  await target.owner`alter table eaas.audit_entries drop constraint interrupted`;
  await target.owner`alter table eaas.audit_entries add constraint continues check (id > 10000) not valid`;
  expect(await copy(source, target, true)).toMatchObject([{ state: 'moved', entry_id: 11_002 }]);
  expect(await verified(target.service)).toMatchObject({ valid: true, checked: 11_002 });
});

test('during a rotation of the root key, nothing is copied', async () => {
  await source.owner`insert into eaas.root_checks select 'another', sealed from eaas.root_checks`;
  expect(await refusalOf(copy(source, target))).toContain(
    'conflict: A rotation of the root key is under way: finish `eaas root-key rotate`',
  );
});

test('an incomplete move can be undone by a move in the opposite direction', async () => {
  await target.owner`alter table eaas.audit_heads add constraint stays_closed check (state_id < 0)`;
  await expect(copy(source, target, true)).rejects.toThrow('stays_closed');
  expect(await copy(target, source)).toMatchObject([{ state: 'elsewhere' }]);
  expect(await copy(target, source, true)).toMatchObject([{ state: 'reopened' }]);
  expect([await wrapIn(source.service), await wrapIn(target.service)]).toEqual([200, 503]);
  await target.owner`alter table eaas.audit_heads drop constraint stays_closed`;
  expect(await copy(source, target, true)).toMatchObject([{ state: 'moved' }]);
  expect([await wrapIn(source.service), await wrapIn(target.service)]).toEqual([503, 200]);
  expect(await verified(target.service)).toMatchObject({ valid: true });
});

test('a tenant moves back, and only the new entries and changes are copied', async () => {
  await wrapIn(source.service, 20);
  await countUsage(source.service, alone());
  await copy(source, target, true);
  const there = apiOf(target.service, ann.token);
  await there('POST /v1/keys/:key_id/rotate', { key_id: keyId });
  await wrapIn(target.service, 5);
  await countUsage(target.service, alone());
  expect(await copy(target, source, true)).toMatchObject([{ state: 'moved' }]);
  expect([await wrapIn(source.service), await wrapIn(target.service)]).toEqual([200, 503]);
  expect(await api('GET /v1/keys/:key_id', { key_id: keyId })).toMatchObject({ key_version: 2 });
  expect(await verified(source.service)).toMatchObject({ valid: true });
  expect(source.service.tenants.timelines.wentBack).toBe(0);
});

test('a tenant that has moved cannot be copied to a third database', async () => {
  await copy(source, target, true);
  const third = await newSide();
  const [report] = await copy(source, third, true);
  expect(report).toMatchObject({ state: 'failed' });
  expect(report?.reason).toContain('has moved from the source to a database other than the target');
  expect(await wrapIn(third.service)).toBe(401);
});

test('a tenant that both databases serve is not copied', async () => {
  const [report] = await copy(source, source, true);
  expect(report?.reason).toContain('is open in both databases');
  expect(await wrapIn(source.service)).toBe(200);
});

test('a target with tenants that the source does not have is refused', async () => {
  const { tenantId } = await settle(target.service, 'other');
  const refused = await refusalOf(copy(source, target));
  expect(refused).toContain(
    'conflict: The target database must be empty or contain only tenants of the source (got 1 other tenant',
  );
  expect(refused).toContain(`The target serves 1 other tenant, such as ${tenantId}. Do not erase`);
  expect(refused).not.toContain('eaas tenant destroy');
});

test('if a tenant was destroyed in the source, the error says how to erase its copy in the target', async () => {
  const { tenantId } = await settle(source.service, 'bob');
  await copy(source, target);
  await destroyTenant(source.owner, tenantId);
  const refused = await refusalOf(copy(source, target));
  expect(refused).toContain(`(got 1 other tenant, such as ${tenantId})`);
  expect(refused).toContain('erase them in the target with `eaas tenant destroy`');
  await destroyTenant(target.owner, tenantId);
  expect(await copy(source, target)).toMatchObject([{ state: 'copied' }]);
});

test('a rotation of the root key skips the tenants that were moved away', async () => {
  await settle(source.service, 'bob');
  await copy(source, target, true);
  await settle(source.service, 'cat');
  const { service } = source;
  const [previous] = service.tenants.roots;
  const roots = [rootKey(new Uint8Array(32).fill(6)), previous] as const;
  const rotated = await rotateRootKey(createService({ ...service, roots }), previous, () => {});
  expect(rotated).toMatchObject({ resealed: 1, failed: [] });
  expect(rotated.closed).toHaveLength(2);
});

test('a log that was changed in the source is not moved', async () => {
  await wrapIn(source.service, 3);
  await source.owner`alter table eaas.audit_entries disable trigger audit_entries_immutable`;
  await source.owner`update eaas.audit_entries set actor = 'system' where id = 3`;
  const [report] = await copy(source, target, true);
  expect(report).toMatchObject({ state: 'failed', name: 'ann' });
  expect(report?.reason).toContain('did not pass the verification (entry_changed)');
  expect([await wrapIn(source.service), await wrapIn(target.service)]).toEqual([200, 503]);
});

test('a row that was put back to an older version in the source is not moved', async () => {
  const before = await source.owner`select * from eaas.keys where key_id = ${keyId}`;
  await api('POST /v1/keys/:key_id/disable', { key_id: keyId });
  await source.owner`update eaas.keys set ${source.owner(before[0] ?? {})} where key_id = ${keyId}`;
  const [report] = await copy(source, target, true);
  expect(report?.reason).toContain('did not pass the verification (key_put_back');
});

test('the copied log cannot be changed in the target', async () => {
  await copy(source, target, true);
  await expect(target.owner`update eaas.audit_entries set actor = 'system'`).rejects.toThrow('append-only');
  await expect(target.owner`delete from eaas.row_records`).rejects.toThrow('append-only');
  await expect(target.owner`update eaas.audit_heads set id = 0`).rejects.toThrow('never goes back');
});

test('the nightly verification skips closed tenants', async () => {
  const clock = { now: () => Date.parse('2026-11-20T12:00:00Z'), learn: () => {}, wallClockError: () => 0 };
  const tonight = (side: Side) =>
    nightlyVerify({ ...side.service, clock }, alone(), (tenantId) => broken.push(tenantId));
  const broken: string[] = [];
  await copy(source, target);
  await tonight(target);
  expect(await rowsOf(target, 'verification_markers')).toBeNull();
  await copy(source, target, true);
  await tonight(source);
  expect(await rowsOf(source, 'verification_markers')).toBeNull();
  expect(broken).toEqual([]);
  expect(await refusalOf(verified(source.service))).toContain('unavailable: This database does not serve');
});
