import { createSecretKey } from 'node:crypto';
import { parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { afterEach, expect, test, vi } from 'vitest';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { Turns } from '../admission/turns.ts';
import { insider } from '../state/caller.ts';
import type { KeyMaterial } from '../state/tenant-view.ts';
import { intakeOpenings, intakePublicKeyOf } from './intake.ts';

afterEach(() => vi.useRealTimers());

const tenantId = '00000000-0000-4000-8000-000000000001';
const key: KeyMaterial = {
  row: {
    tenant_id: tenantId,
    key_id: '00000000-0000-4000-8000-000000000002',
    name: 'form',
    key_version: 1,
    status: 'active',
    exportable: false,
    intake: true,
    subjects: 'optional',
    created_at: 0,
    rotated_at: null,
    interval_days: null,
    next_rotation_at: null,
    destroy_at: null,
    sealed_hash_key: null,
    created_id: 1,
    rev: 1,
    mac: Buffer.of(),
  },
  hashKey: null,
  versions: new Map([[1, createSecretKey(Buffer.alloc(32, 7))]]),
};

const deks = [1, 2, 3].map((nth) => Buffer.alloc(32, nth));

async function setUp(turns = new Turns()) {
  const publicKey = parsePublicKey(intakePublicKeyOf(key) ?? '');
  const wrapped = await Promise.all(
    deks.map(async (dek) => (await wrapForIntake(publicKey, dek)).wrappedKey),
  );
  const counts = { intakeOpened: 0 };
  const openings = intakeOpenings({ admission: { turns }, counts }, insider(tenantId, 'operator'));
  return { counts, openings, wanted: wrapped.map((one) => ({ key, wrapped: one })) };
}

test('if a request is processed twice, each wrapped key is decapsulated once and counted once in the metric', async () => {
  const turns = new Turns();
  const { counts, openings, wanted } = await setUp(turns);
  await openings.prepare(wanted);
  vi.spyOn(turns, 'run').mockImplementation((_, work) => {
    expect(work.next().done).toBe(true);
    return Promise.resolve(undefined as never);
  });
  await openings.prepare(wanted);
  for (let nth = 0; nth < 2; nth++) {
    const opened = wanted.map(({ wrapped }) => openings.unwrap(key, wrapped, undefined));
    expect(opened.map((dek) => Buffer.from(dek ?? []))).toEqual(deks);
  }
  expect(counts.intakeOpened).toBe(3);
});

test('only wrapped keys that were not decapsulated in time are refused with 503', async () => {
  setTimeLimits(1);
  const { openings, wanted } = await setUp();
  vi.useFakeTimers({ toFake: ['performance'] });
  function* late() {
    yield* wanted.slice(0, 1);
    vi.advanceTimersByTime(4_001);
    yield* wanted.slice(1);
  }
  const later = intakeOpenings(
    { admission: { turns: new Turns() }, counts: { intakeOpened: 0 } },
    insider(tenantId, 'operator'),
  );
  await later.prepare(late());
  const [first, second] = wanted.map(({ wrapped }) => wrapped);
  if (!first || !second) throw new Error('the test needs two wrapped keys');
  expect(Buffer.from(later.unwrap(key, first, undefined) ?? [])).toEqual(deks[0]);
  expect(() => later.unwrap(key, second, undefined)).toThrow(
    expect.objectContaining({ code: 'unavailable' }),
  );
  openings.wipe();
});

test('after `wipe` has erased the shared secrets, `unwrap` decrypts no wrapped key', async () => {
  const { openings, wanted } = await setUp();
  await openings.prepare(wanted);
  openings.wipe();
  const opened = wanted.map(({ wrapped }) => openings.unwrap(key, wrapped, undefined));
  expect(opened).toEqual([undefined, undefined, undefined]);
});

test('the server unwraps nothing with a key that is not for intake, awaits destruction or has no secret', async () => {
  const { openings, wanted } = await setUp();
  const others = [
    { ...key, row: { ...key.row, intake: false } },
    { ...key, row: { ...key.row, status: 'pending_destruction' as const } },
    { ...key, versions: new Map([[1, null]]) },
  ];
  for (const other of others) {
    const of = wanted.map(({ wrapped }) => ({ key: other, wrapped }));
    await openings.prepare(of);
    expect(of.map(({ wrapped }) => openings.unwrap(other, wrapped, undefined))).toEqual(
      of.map(() => undefined),
    );
  }
});
