import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dek, openWorld, type Resident, settle, type World, apiOf } from '../../../../../test/setup/world.ts';
import { type Attacker, openAttacker, unbind } from '../../../../../test/tampering/attacker.ts';
import { insider } from '../../caller.ts';
import { countUsage } from '../../jobs/count-usage.ts';
import { purge } from '../../jobs/purge.ts';
import type { Service } from '../../service.ts';
import { Database } from '../../store/database.ts';
import { batchWrap } from '../wrap.ts';
import { verifyChain, type Verification } from './verify-chain.ts';

const never = new AbortController().signal;
const length = 24_002; // of which a verification reads 10,000 at once

let world: World;
let attacker: Attacker;
let resident: Resident;

beforeAll(async () => {
  world = await openWorld('2015-01-01T00:00:00Z');
  const service = world.replica();
  resident = await settle(service, 'long');
  const { tenantId } = resident;
  const { key_id } = await apiOf(service, resident.token)('POST /v1/keys', { name: 'key' });
  const items = Array.from({ length: 2_000 }, () => ({ key_id, dek }));
  for (let nth = 0; nth < 12; nth++) {
    world.time += 1_000;
    await batchWrap(service, insider(tenantId, 'system'), { items });
  }
  world.time = Date.parse('2026-09-01T00:00:00Z');
  await countUsage(service, never);
  attacker = await openAttacker(world.database);
  await attacker.keep('whole');
}, 60_000);
afterAll(async () => {
  await attacker.close();
  await world.close();
});

/** A replica whose every query goes to this pool. */
function on(database: Database): Service {
  const service = world.replica();
  const pools = Object.entries(service).filter(([, value]) => value instanceof Database);
  return { ...service, ...Object.fromEntries(pools.map(([name]) => [name, database])) };
}

describe('in pieces', () => {
  test('each call goes on where the one before stopped, and always comes a piece further', async () => {
    const found: Verification[] = [];
    for (let fromId: number | null = 1; fromId !== null; fromId = found.at(-1)?.nextId ?? null) {
      found.push(await verifyChain(world.replica(), resident.tenantId, { fromId, enough: () => true }));
    }
    const pieces = found.map(({ valid, firstId, lastId, nextId }) => [valid, firstId, lastId, nextId]);
    expect(pieces).toEqual([
      [null, 1, 10_000, 10_001],
      [null, 10_001, 20_000, 20_001],
      [true, 20_001, length, null],
    ]);
    expect(found.reduce((sum, { checked }) => sum + checked, 0)).toBe(length);
  });

  test('`enough` is told how many of how many entries were checked', async () => {
    const told: [number, number][] = [];
    const enough = (checked: number, last: number): boolean => {
      told.push([checked, last]);
      return false;
    };
    await verifyChain(world.replica(), resident.tenantId, { enough });
    expect(told).toEqual([
      [10_000, length],
      [20_000, length],
      [length, length],
    ]);
  });

  test('a piece in which something is wrong says so before the rest is known', async () => {
    await attacker.sql`update eaas.audit_entries set actor = '' where id = 5`;
    const found = await verifyChain(world.replica(), resident.tenantId, { enough: () => true });
    expect(found).toMatchObject({ valid: false, nextId: 10_001, errorCount: 1 });
    await attacker.sql`update eaas.audit_entries set actor = 'system' where id = 5`;
  });
});

test('the one connection of a pool serves on after a long verification', async () => {
  const database = new Database(world.database.connection('server'), 1);
  const service = on(database);
  for (let nth = 0; nth < 2; nth++) {
    expect(await verifyChain(service, resident.tenantId)).toMatchObject({ valid: true, checked: length });
  }
  await database.close();
});

describe('while a purge goes on', () => {
  beforeEach(() => attacker.restore('whole'));

  /** A replica with whom something happens between reading the ends of the chain and walking along it. */
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

  test('a verification from which entries are taken away starts over', async () => {
    const found = await verifyInterrupted(() => purge(world.replica(), 60, never));
    const anchor = { id: length, hash: expect.any(Uint8Array) as unknown };
    expect(found).toMatchObject({ valid: true, checked: 0, purgedThrough: anchor, errors: [] });
  });

  test('and still tells what is wrong', async () => {
    const stop = new AbortController();
    const found = await verifyInterrupted(async () => {
      if (stop.signal.aborted) return;
      await purge(oneStep(stop), 60, stop.signal);
      await attacker.sql`update eaas.audit_entries set actor = '' where id = 15000`;
    });
    expect(found).toMatchObject({ valid: false, errors: [{ id: 15_000, reason: 'entry_changed' }] });
    expect(found.purgedThrough?.id).toBe(10_000);
  });

  /** A replica that is told to stop once it has deleted something. */
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

  test('no verification of many reports what is not so', async () => {
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
    expect(last).toMatchObject({ valid: true, purgedThrough: { id: length } });
  });
});

describe('where two pages meet', () => {
  beforeAll(() => unbind(attacker));
  beforeEach(() => attacker.restore('whole'));

  const wrong = async () => (await verifyChain(world.replica(), resident.tenantId)).errors;

  test.each([10_000, 10_001])('entry %i removed', async (id) => {
    await attacker.sql`delete from eaas.audit_entries where id = ${id}`;
    expect(await wrong()).toEqual([{ id, reason: 'entry_missing' }]);
  });

  test.each([10_000, 10_001])('entry %i doubled', async (id) => {
    await attacker.sql`insert into eaas.audit_entries select * from eaas.audit_entries where id = ${id}`;
    expect(await wrong()).toEqual([{ id, reason: 'entry_changed' }]);
  });

  test('a whole page removed, and more', async () => {
    await attacker.sql`delete from eaas.audit_entries where id between 9000 and 20500`;
    const { errors, errorCount, checked } = await verifyChain(world.replica(), resident.tenantId);
    expect(errors[0]).toEqual({ id: 9_000, reason: 'entry_missing' });
    expect(errors.length).toBe(100);
    expect({ errorCount, checked }).toEqual({ errorCount: 11_501, checked: length - 11_501 });
  });
});
