import type { Service } from '@eaas/test-kit/server';
import type { AuditEntry } from '@eaas/audit';
import { EaasClient } from '@eaas/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiOf, dek, openWorld, type Resident, settle, type World } from '@eaas/test-kit/world';
import { type Attacker, openAttacker } from '@eaas/test-kit/attacker';
import { type Auditor, auditor } from './auditor.ts';

let world: World;
let attacker: Attacker;
let service: Service;
let resident: Resident;
let client: EaasClient;
let keyId: string;

const length = 232;

beforeAll(async () => {
  world = await openWorld(new Date().toISOString());
  attacker = await openAttacker(world);
  service = world.replica();
  resident = await settle(service, 'acme');
  const baseUrl = await world.serve(service);
  client = new EaasClient({ baseUrl, apiKey: resident.token, retries: 0 });
  keyId = (await client.keys.create({ name: 'cards' })).key_id;
  await wraps(130);
  await attacker.keep('early');
  await wraps(100);
  await attacker.keep('fresh');
});
beforeEach(() => attacker.restore('fresh'));
afterAll(() => world.close());

async function wraps(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 100) {
    const items = Array.from({ length: Math.min(100, left) }, () => ({ key_id: keyId, dek }));
    await apiOf(service, resident.token)('POST /v1/batch/wrap', { items });
  }
}

async function watcher(): Promise<Auditor> {
  const one = auditor(client);
  expect(await one.check()).toMatchObject({ ok: true, findings: [] });
  return one;
}

const tamper = (statement: string): Promise<unknown> =>
  attacker.sql.unsafe(statement.replaceAll('mine', `tenant_id = '${resident.tenantId}'`));

async function shown(order: 'newest' | 'oldest'): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of client.audit.list({}, { order })) entries.push(entry);
  return entries;
}

test('a log can be listed and verified while calls append entries, even if all entries have the same time', async () => {
  const growing = (async () => {
    for (let time = 0; time < 12; time++) await wraps(17);
  })();
  const [newest, oldest, report] = await Promise.all([
    shown('newest'),
    shown('oldest'),
    auditor(client).check(),
  ]);
  await growing;
  for (const entries of [newest.toReversed(), oldest]) {
    expect(entries.length).toBeGreaterThanOrEqual(length);
    expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => index + 1));
  }
  expect(report).toMatchObject({ ok: true, findings: [] });
});

// Which changes an audit finds is judged in memory, by `check.test.ts` and `verify-log.test.ts`.
describe('an audit of a log that a database administrator changed', () => {
  test('throws if all entries are removed, because the service then lists nothing', async () => {
    await tamper('delete from eaas.audit_entries where mine');
    await expect(auditor(client).check()).rejects.toMatchObject({ code: 'invalid_response' });
    expect(await client.audit.verify()).toMatchObject({ valid: false });
  });

  test('gets no checkpoint of a head that was changed', async () => {
    const one = await watcher();
    await tamper("update eaas.audit_heads set hash = sha256('x') where mine");
    await expect(one.check()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  });

  test('finds a log that was put back to an older version, which the service itself cannot find', async () => {
    const one = await watcher();
    const { state } = one;
    await attacker.restore('early');
    expect((await one.check()).findings).toMatchObject([{ code: 'rollback', id: 132 }]);
    await wraps(99);
    await client.keys.rotate(keyId);
    expect((await one.check()).findings).toMatchObject([{ code: 'fork', id: length }]);
    expect(await client.audit.verify()).toMatchObject({ valid: true });
    expect(one.state).toEqual(state);
  });
});
