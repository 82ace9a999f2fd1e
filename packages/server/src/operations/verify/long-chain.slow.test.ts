import { alone } from '@eaas/test-kit/alone';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';
import { openAttacker, unbind } from '@eaas/test-kit/attacker';
import { insider } from '../../state/caller.ts';
import { countUsage } from '../../jobs/housekeeping.ts';
import { purge } from '../../jobs/purge.ts';
import type { Service } from '../../app/service.ts';
import { Database } from '../../store/database.ts';
import { operations } from '../table.ts';
import { type Verification, verifyChain } from './verify-chain.ts';

const never = alone();
const length = 24_006; // a verification reads 10,000 entries per page

const world = await testWorld('2015-01-01T00:00:00Z');
const service = world.replica();
const resident = await settle(service, 'long');
const { tenantId } = resident;
const { key_id } = await apiOf(service, resident.token)('POST /v1/keys', { name: 'key' });
const items = Array.from({ length: 2_000 }, () => ({ key_id, dek }));
for (let nth = 0; nth < 12; nth++) {
  world.time += 1_000;
  // A purge deletes 10,000 entries in each step. This key is rotated once among the entries of the first step, and
  // once among the entries of the last step.
  if (nth === 3 || nth === 11) {
    await apiOf(service, resident.token)('POST /v1/keys/:key_id/rotate', { key_id });
    await apiOf(service, resident.token)('POST /v1/keys', { name: `key ${nth}` });
  }
  await operations['POST /v1/batch/wrap'](service, insider(tenantId, 'system'), { items });
}
world.time = Date.parse('2026-09-01T00:00:00Z');
await countUsage(service, never);
const attacker = await openAttacker(world);
await attacker.keep('whole');

function on(database: Database): Service {
  const service = world.replica();
  const pools = Object.entries(service).filter(([, value]) => value instanceof Database);
  return { ...service, ...Object.fromEntries(pools.map(([name]) => [name, database])) };
}

describe('a verification in several calls', () => {
  test('each call of a long verification continues where the previous call stopped', async () => {
    const found: Verification[] = [];
    for (let from_id: number | null = 1; from_id !== null; from_id = found.at(-1)?.next_id ?? null) {
      found.push(await verifyChain(world.replica(), resident.tenantId, { from_id, shouldStop: () => true }));
    }
    const pieces = found.map(({ valid, first_id, last_id, next_id }) => [valid, first_id, last_id, next_id]);
    expect(pieces).toEqual([
      [null, 1, 10_000, 10_001],
      [null, 10_001, 20_000, 20_001],
      [true, 20_001, length, null],
    ]);
    expect(found.reduce((sum, { checked }) => sum + checked, 0)).toBe(length);
  });

  test('a verification passes its progress to `shouldStop`, which decides whether to stop', async () => {
    const told: [number, number][] = [];
    const shouldStop = (checked: number, last: number): boolean => {
      told.push([checked, last]);
      return false;
    };
    await verifyChain(world.replica(), resident.tenantId, { shouldStop });
    expect(told).toEqual([
      [10_000, length],
      [20_000, length],
      [length, length],
    ]);
  });

  test('a verification in several calls reports a finding in the call that found it', async () => {
    await attacker.sql`update eaas.audit_entries set actor = '' where id = 5`;
    const found = await verifyChain(world.replica(), resident.tenantId, { shouldStop: () => true });
    expect(found).toMatchObject({ valid: false, next_id: 10_001, error_count: 1 });
    await attacker.sql`update eaas.audit_entries set actor = 'system' where id = 5`;
  });
});

test('a pool with only one database connection can verify a long log twice', async () => {
  const database = new Database(world.database.connection('server'), 1);
  const service = on(database);
  for (let nth = 0; nth < 2; nth++) {
    expect(await verifyChain(service, resident.tenantId)).toMatchObject({ valid: true, checked: length });
  }
  await database.close();
});

describe('during a purge', () => {
  beforeEach(() => attacker.restore('whole'));

  class Interrupted extends Database {
    readonly #interrupt: () => Promise<void>;

    constructor(interrupt: () => Promise<void>) {
      super(world.database.connection('server'), 2);
      this.#interrupt = interrupt;
    }

    override async snapshot<T>(...all: Parameters<Database['snapshot']>): Promise<T> {
      const read = (await super.snapshot(...all)) as T;
      await this.#interrupt();
      return read;
    }
  }

  async function verifyInterrupted(interrupt: () => Promise<void>): Promise<Verification> {
    const database = new Interrupted(interrupt);
    try {
      return await verifyChain(on(database), resident.tenantId);
    } finally {
      await database.close();
    }
  }

  test('a verification starts again if entries are purged while the verification runs', async () => {
    const found = await verifyInterrupted(() => purge(world.replica(), 60, never));
    const anchor = { id: length, hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown };
    expect(found).toMatchObject({ valid: true, checked: 0, purged_through: anchor, errors: [] });
  });

  test('a verification that starts again because of a purge reports a changed entry', async () => {
    const stop = new AbortController();
    const found = await verifyInterrupted(async () => {
      if (stop.signal.aborted) return;
      await purge(oneStep(stop), 60, alone(stop.signal));
      await attacker.sql`update eaas.audit_entries set actor = '' where id = 15000`;
    });
    expect(found).toMatchObject({ valid: false, errors: [{ id: 15_000, reason: 'entry_changed' }] });
    expect(found.purged_through?.id).toBe(10_000);
  });

  function oneStep(stop: AbortController): Service {
    const { database } = world.replica();
    class OneStep extends Database {
      override async transaction<T>(...all: Parameters<Database['transaction']>): Promise<T> {
        const done = (await database.transaction(...all)) as T;
        stop.abort();
        return done;
      }
    }
    return on(new OneStep(world.database.connection('server'), 2));
  }

  test('a verification during a purge reports no false findings', async () => {
    const found: Verification[] = [];
    const purging = { done: false };
    const verifying = async (): Promise<void> => {
      do found.push(await verifyChain(world.replica(), resident.tenantId));
      while (!purging.done);
    };
    const all = Promise.all([verifying(), verifying()]);
    await Promise.all([purge(world.replica(), 60, never), purge(world.replica(), 60, never)]);
    purging.done = true;
    await all;
    expect(found.filter(({ valid }) => valid !== true)).toEqual([]);
    const last = await verifyChain(world.replica(), resident.tenantId);
    expect(last).toMatchObject({ valid: true, purged_through: { id: length } });
  });
});

describe('where two pages meet', () => {
  beforeAll(() => unbind(attacker));
  beforeEach(() => attacker.restore('whole'));

  const wrong = async () => (await verifyChain(world.replica(), resident.tenantId)).errors;

  test.each([10_000, 10_001])('a verification reports the removed entry %i', async (id) => {
    await attacker.sql`delete from eaas.audit_entries where id = ${id}`;
    expect(await wrong()).toEqual([{ id, reason: 'entry_missing' }]);
  });

  test.each([10_000, 10_001])('a verification reports the duplicated entry %i', async (id) => {
    await attacker.sql`insert into eaas.audit_entries select * from eaas.audit_entries where id = ${id}`;
    expect(await wrong()).toEqual([{ id, reason: 'entry_changed' }]);
  });

  test('a verification counts all removed entries, even if they fill more than one page', async () => {
    await attacker.sql`delete from eaas.audit_entries where id between 9000 and 20500`;
    const { errors, error_count, checked } = await verifyChain(world.replica(), resident.tenantId);
    expect(errors[0]).toEqual({ id: 9_000, reason: 'entry_missing' });
    expect(errors.length).toBe(100);
    expect({ error_count, checked }).toEqual({ error_count: 11_501, checked: length - 11_501 });
  });
});
