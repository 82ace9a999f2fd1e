import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { memoryStore } from '@eaas/local/internal';
import { rootKey } from '../crypto/tenant-secrets.ts';
import { settle } from '../operate.ts';
import { insider, type Part } from '../operation.ts';
import { newTenant } from '../operations/tenants.ts';
import { keyDraft, tenantDraft } from '../rules/draft.ts';
import { createService } from '../service.ts';
import { verifyTenant } from '../verify/verify.ts';
import { LinkRefused } from './store.ts';
import { type KeyRow, keys } from './tables.ts';

type Step = Parameters<NonNullable<Parameters<typeof memoryStore>[0]['wait']>>[0];

/** Two replicas on one store, whose steps wait as the test says. */
async function openPair(wait: (step: Step) => Promise<void>) {
  const store = memoryStore({ now: Date.now, wait: (step) => waiting(step) });
  let waiting: typeof wait = async () => {};
  const roots = [rootKey(randomBytes(32))] as const;
  const failures: unknown[] = [];
  const listener = { unwritten: (error: unknown) => void failures.push(error) };
  const replicas = [0, 1].map(() => createService({ store, roots, listener, patience: 600_000 }));
  const { record, head, writes } = newTenant(roots, { name: 'acme' }, Date.now());
  await store.create(head, writes);
  waiting = wait;
  const { tenant_id: tenantId } = record;
  const decide = <T>(nth: number, part: Partial<Part<T>> & Pick<Part<T>, 'judge'>, signal?: AbortSignal) => {
    const replica = replicas[nth % 2];
    if (!replica) throw new Error('expected two replicas');
    const caller = { ...insider(tenantId, 'operator'), signal };
    return settle(replica, caller, { by: 'append', needs: () => [], ...part });
  };
  const verified = () => replicas[0] && verifyTenant(replicas[0], tenantId);
  return { store, tenantId, decide, verified, failures };
}

const keyId = '00000000-0000-4000-8000-000000000002';

/** Counts a row's `key_version` up by one, and writes an entry with the version. */
const countUp: Pick<Part<number>, 'judge'> = {
  judge(view) {
    const before = view.find(keys, keyId);
    const key_version = (before?.key_version ?? 0) + 1;
    const row = { key_id: keyId, name: 'counted', status: 'active', exportable: false } as KeyRow;
    const times = { created_at: 1, rotated_at: null, interval_days: null, next_rotation_at: null };
    const rest = {
      destroy_at: null,
      min_version: 1,
      sealed_hash_key: null,
      created_id: 1,
      tenant_id: view.tenant.tenant_id,
    };
    const next = { ...row, ...times, ...rest, key_version, rev: view.entryId };
    return {
      entries: [keyDraft('key.rotate', next)],
      writes: [{ table: keys, row: next }],
      answer: key_version,
    };
  },
};

/** Writes an entry, and no row. */
const note: Pick<Part<number>, 'judge'> = {
  judge: () => ({ entries: [tenantDraft('tenant.update', {})], answer: 0 }),
};

test('two replicas that lose a third of their answers decide everything once, in one order', async () => {
  const random = seeded(7);
  const { store, tenantId, decide, verified } = await openPair(async (step) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (step === 'answer' && random() < 0.3) throw new Error('the answer was lost');
  });
  const done = await Promise.all(Array.from({ length: 200 }, (_, nth) => decide(nth, countUp)));
  expect(done.map(({ answer }) => answer).toSorted((a, b) => a - b)).toEqual(done.map((_, nth) => nth + 1));
  // The entry of each answer is the one that its receipt names.
  for (const { answer, receipt } of done) expect(receipt?.id).toBe(answer);
  expect(store.tenants.get(tenantId)?.head.id).toBe(200);
  expect(await verified()).toMatchObject({ valid: true, rows_checked: true });
});

test('a replica remembers what it has changed', async () => {
  const steps: Step[] = [];
  const { decide } = await openPair(async (step) => void steps.push(step));
  await decide(0, countUp);
  steps.length = 0;
  await decide(0, note);
  expect(steps).toEqual(['commit', 'answer']);
});

test('a newer head that was changed is refused, even if no row was', async () => {
  const { store, tenantId, decide } = await openPair(async () => {});
  for (const nth of [0, 1]) await decide(nth, note);
  const tenant = store.tenants.get(tenantId);
  if (!tenant) throw new Error('expected a tenant');
  tenant.head = { ...tenant.head, encrypts: 7 };
  await expect(decide(0, note)).rejects.toMatchObject({ code: 'unavailable' });
  expect(tenant.head).toMatchObject({ id: 2, encrypts: 7 });
});

test('a judgement that fails, and one whose content the store refuses, fail alone', async () => {
  let isFull = false;
  const { decide, failures, verified } = await openPair(async (step) => {
    if (step === 'commit' && isFull) throw new LinkRefused('full');
  });
  const bug = new TypeError('a bug');
  const failing = decide(0, {
    judge: () => {
      throw bug;
    },
  });
  const others = [decide(0, countUp), decide(0, countUp)];
  await expect(failing).rejects.toBe(bug);
  expect((await Promise.all(others)).map(({ answer }) => answer)).toEqual([1, 2]);
  const refusedAlone = decide(0, {
    judge: () => ((isFull = true), { entries: [tenantDraft('tenant.update', {})], answer: 0 }),
  });
  await expect(refusedAlone).rejects.toMatchObject({ code: 'audit_unwritten' });
  isFull = false;
  expect((await decide(1, countUp)).answer).toBe(3);
  expect(failures).not.toEqual([]);
  expect(await verified()).toMatchObject({ valid: true });
});

test('nothing is written for a caller who had left when the lock came', async () => {
  const leaving = new AbortController();
  let isBroken = false;
  const { decide, verified } = await openPair(async (step) => {
    if (step === 'read' && isBroken) leaving.abort();
    if (step !== 'commit' || isBroken) return;
    isBroken = true;
    throw new Error('the connection broke');
  });
  await expect(decide(0, countUp, leaving.signal)).rejects.toMatchObject({ code: 'audit_unwritten' });
  expect((await decide(0, countUp)).answer).toBe(1);
  expect(await verified()).toMatchObject({ valid: true, head: { id: 1 } });
});

/** Numbers from 0 to 1 that are the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}
