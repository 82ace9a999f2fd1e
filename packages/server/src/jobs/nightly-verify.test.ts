import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openWorld, type Resident, settle, type World } from '../../../../test/setup/world.ts';
import { type Attacker, openAttacker } from '../../../../test/tampering/attacker.ts';
import { serviceMetrics } from '../service-metrics.ts';
import { nightlyVerify } from './nightly-verify.ts';

const never = new AbortController().signal;
const day = 24 * 60 * 60 * 1_000;

let world: World;
let attacker: Attacker;
let ann: Resident;
let ben: Resident;
/** What the log was told: whose chain, and why. */
let told: { tenantId: string; reasons: string[] }[];

const verify = (service = world.replica()) =>
  nightlyVerify(service, never, (tenantId, findings) => {
    told.push({ tenantId, reasons: findings.map(({ reason }) => reason) });
  });
const metric = async (): Promise<string | undefined> =>
  /^eaas_audit_broken_chains .*$/m.exec(serviceMetrics(world.replica(), [], await verify()))?.[0];

beforeAll(async () => {
  world = await openWorld('2026-09-01T03:00:00Z');
  attacker = await openAttacker(world.database);
  ann = await settle(world.replica(), 'ann');
  ben = await settle(world.replica(), 'ben');
  await attacker.keep('fresh');
});
beforeEach(async () => {
  await attacker.restore('fresh');
  world.time = Date.parse('2026-09-01T03:00:00Z');
  told = [];
});
afterAll(async () => {
  await attacker.close();
  await world.close();
});

test('whole chains are nothing to tell', async () => {
  expect(await verify()).toEqual({ finished_at: world.time, broken: 0 });
  expect(told).toEqual([]);
  expect(await metric()).toBe('eaas_audit_broken_chains 0');
});

test('a broken one is told with what is wrong, and counted in the metric of every replica', async () => {
  await attacker.sql`update eaas.audit_entries set actor = 'system' where tenant_id = ${ann.tenantId}`;
  expect(await verify()).toMatchObject({ broken: 1 });
  expect(told).toEqual([{ tenantId: ann.tenantId, reasons: ['entry_changed'] }]);
  expect(await metric()).toBe('eaas_audit_broken_chains 1');
});

test('one of many replicas does it, once a night', async () => {
  await attacker.sql`update eaas.audit_entries set actor = 'system' where tenant_id = ${ann.tenantId}`;
  await Promise.all([verify(), verify(), verify(), verify()]);
  expect(told).toHaveLength(1);
  world.time += day - 1;
  await verify();
  expect(told).toHaveLength(1);
  world.time += 1;
  await verify();
  expect(told).toHaveLength(2);
});

test('it begins at three in the morning, UTC', async () => {
  world.time = Date.parse('2026-09-01T02:59:59.999Z');
  expect(await verify()).toBeUndefined();
  world.time += 1;
  expect(await verify()).toMatchObject({ broken: 0 });
});

test('a tenant of which nothing opens, or whose row is gone, keeps no other from being verified', async () => {
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

test('one that is interrupted is taken again', async () => {
  const stop = new AbortController();
  stop.abort();
  expect(await nightlyVerify(world.replica(), stop.signal, () => {})).toBeUndefined();
  expect(await verify()).toMatchObject({ broken: 0 });
});
