// Two replicas on one store in memory, whose steps wait, fail and arrive as a test of the ledger says.
import type { memoryStore } from '@eaas/local/internal';
import type { Patience } from '../src/ledger/queue.ts';
import type { Link, Store } from '../src/ledger/store.ts';
import { type KeyRow, keys } from '../src/ledger/tables.ts';
import { decide as ask, run, settle, type Way } from '../src/operate.ts';
import type { Caller, Part } from '../src/operation.ts';
import { keyDraft, tenantDraft } from '../src/rules/draft.ts';
import { verifyTenant } from '../src/verify/verify.ts';
import { openTenant } from './open-tenant.ts';

export type Step = Parameters<NonNullable<Parameters<typeof memoryStore>[0]['wait']>>[0];

/** `arrive` waits before what was read arrives. `send` sends a link on. */
interface Steps {
  readonly wait: (step: Step) => Promise<void>;
  readonly arrive: () => Promise<void>;
  readonly send: (link: () => ReturnType<Store['append']>) => ReturnType<Store['append']>;
}

/** Two replicas on one store, whose steps wait as the test says. */
export async function openPair({
  wait = async () => {},
  arrive = async () => {},
  send = (link) => link(),
}: Partial<Steps> = {}) {
  let waiting: Steps['wait'] = async () => {};
  const { store, tenantId, operator, start } = await openTenant({ wait: (step) => waiting(step) });
  waiting = wait;
  const failures: unknown[] = [];
  const steps: string[] = [];
  const failed = (error: unknown, _: string, step: string) => {
    failures.push(error);
    steps.push(step);
  };
  const tampered = (table: string) => void failures.push(`${table} altered`);
  const blocks: (readonly string[])[] = [];
  const appended = (_: string, link: Link) => void blocks.push(link.blocks);
  /** The entries that a replica missed, and what was the newest then. */
  const losses: (readonly [seenId: number, foundId: number])[] = [];
  const wentBack = (_: string, seenId: number, foundId: number) => {
    failures.push('went back');
    losses.push([seenId, foundId]);
  };
  const listener = { failed, unwritten: failed, tampered, appended, wentBack };
  /** Calls of the store that get no answer in its own time. */
  const silent = new Set<'read' | 'append' | 'locked'>();
  const late = () =>
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error('no answer')), 1_200_000));
  const read: typeof store.read = async (...all) => {
    if (silent.has('read')) return late();
    const known = await store.read(...all);
    await arrive();
    return known;
  };
  const append: typeof store.append = (...all) =>
    silent.has('append') ? late() : send(() => store.append(...all));
  let locks = 0;
  const locked: typeof store.locked = (...all) => {
    locks++;
    return silent.has('locked') ? late() : store.locked(...all);
  };
  const replicas = [0, 1].map(() => start({ store: { ...store, read, append, locked }, listener }));
  const replica = (nth: number) => {
    const one = replicas[nth % 2];
    if (!one) throw new Error('expected two replicas');
    return one;
  };
  const decide = <T>(
    nth: number,
    { reads, ...part }: Part<T> & Pick<Way, 'reads'>,
    { since, ...by }: Partial<Caller> & Patience = {},
  ) => {
    const caller = { ...operator, ...by };
    return settle(replica(nth), caller, part, { ...caller, since, reads });
  };
  /** Asks with a door of the test's own. */
  const askBy = (told: (end: unknown) => void, { reads, ...part }: Part<number> & Pick<Way, 'reads'>) =>
    ask(replica(0), operator, part, { reads }, told, told);
  const verified = (nth = 0) => verifyTenant(replica(nth), tenantId);
  const askToVerify = (nth: number) => run(replica(nth), operator, 'GET /v1/audit/verify', {});
  const forget = (nth: number) => replica(nth).ledger.forget(tenantId);
  const { ledger } = replica(0);
  return {
    store,
    silent,
    locks: () => locks,
    ledger,
    tenantId,
    decide,
    askBy,
    verified,
    askToVerify,
    forget,
    failures,
    losses,
    steps,
    blocks,
  };
}

export const keyId = '00000000-0000-4000-8000-000000000002';

/** Counts a row's `key_version` up by one, and writes an entry with the version. */
export const countUp: Pick<Part<number>, 'changes' | 'judge'> = {
  changes: true,
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

/** Reads the row's `key_version`. */
export const look: Part<number> & Pick<Way, 'reads'> = {
  reads: {},
  judge: (view) => ({ entries: [], answer: view.find(keys, keyId)?.key_version ?? 0 }),
};

/** Writes an entry, and no row. */
export const note: Pick<Part<number>, 'judge'> = {
  judge: () => ({ entries: [tenantDraft('tenant.update', {})], answer: 0 }),
};
