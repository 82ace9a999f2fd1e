// The one way to change a tenant, and to read it: a request becomes a decision, decisions wait for their tenant, and one append
// commits them. It commits audit entries, rows and head (the log's newest entry), or nothing. No answer leaves before the commit.
// What is read is in tenant-cache.ts, what is judged in judge.ts, and what is written in queue.ts. docs/design/ledger.pml is a model of it.
//
//   decision ─► queue ─► judge all on the guess ─► append if the head is the guessed one
//   needs                     ▲          ▲            │
//   prepare               lock, read   follow         ├─ written ─► answer
//   judge                     ▲  ▲       ▲            │               ▲
//                             │  └───────┴── moved ◄──┤               │
//                             └──────────── absent ◄──┴─ lost ─► look ┘
//
// - The guess is the head and the rows as this replica last saw them. The database writes a link (what one append adds to a log)
//   only if its head still has the id and MAC of the guess. So no change invalidates anything: a stale guess costs a second try,
//   not a wrong answer.
// - A head that moved comes with the refusal. If it is newer, has a valid MAC and the same sum of rows, the guess follows it, and
//   the replica judges the same requests again, as if they had just come, with those that came meanwhile.
// - The lock on the head makes other replicas wait. A replica takes it when another has changed rows, when the head has moved three
//   times, and after a lost answer. To change a row, it also takes the lock, reads the row again, and refuses a forged one.
// - One statement can append for many tenants: what comes while two statements run leaves together. Each link still has its own
//   head, and its own outcome.
// - If the connection breaks during an append, the replica does not know whether its link was written. So it locks the head, and
//   looks in the log for the link's nonce. If it finds the nonce, it answers; if not, it judges and writes again in the same
//   transaction.
// - Time is the database's clock. The database refuses an append that was judged more than ten seconds ago, because an API key may
//   have expired since.
// - The head contains a masked sum of the MACs of all rows. If somebody removes, inserts, changes or puts back a row, `verify`
//   computes and reports another sum.
import type { Endpoint } from '@eaas/protocol/wire';
import { endSealer } from '#platform';
import type { Secret } from '../crypto/secret.ts';
import type { Roots } from '../crypto/tenant-secrets.ts';
import { changedTooOften, type Refusal } from '../rules/refusal.ts';
import { type Decision, Missing, type Settled } from './decision.ts';
import type { Guess, Listener } from './guess.ts';
import type { HeadMemory } from './head-memory.ts';
import { judgeOnly, type Outcome, outcomeOf, View } from './judge.ts';
import { TenantCache } from './tenant-cache.ts';
import { type Patience, Queue } from './queue.ts';
import { Remembered, rememberedFor } from './remembered.ts';
import { mostRounds } from './rounds.ts';
import type { OpenTenant } from './row-macs.ts';
import type { Store } from './store.ts';
import { type Need, refTo, type Table, unique } from './table.ts';
import { tenants } from './tables.ts';

const mostTenants = 2_000;
const mostSecrets = 20_000;
/** The most bytes of what is remembered of all tenants. Those that were used longest ago go first. */
const mostBytes = 64 * 1024 * 1024;

/** How a decision that writes nothing is judged. If nothing is said: on what is remembered, as far as it is. */
export type Reading = Pick<Endpoint, 'snapshot' | 'ofAnyHead'>;

export class Ledger {
  readonly store: Store;
  readonly roots: Roots;
  readonly tables: ReadonlyMap<string, Table<never>>;
  readonly listener: Partial<Listener>;
  /** What is remembered of logs when this process has ended. Absent: nothing. */
  readonly headMemory: HeadMemory | undefined;
  /** For how long a decision waits for its append, in milliseconds. */
  readonly patience: number;
  readonly clock: Clock;
  /** Secrets of tenants, by their places and sealed bytes. */
  readonly opened = new Remembered<Secret>(mostSecrets, rememberedFor, Infinity, endSealer);
  /** Tenants as they were opened last, and what is believed of them, by their ids. */
  readonly tenants = new Remembered<OpenTenant>(mostTenants, rememberedFor);
  readonly guesses = new Remembered<Guess>(mostTenants, rememberedFor, mostBytes);
  readonly #queues = new Remembered<Queue>(mostTenants);
  /** How many decisions wait until they are judged and what they write is committed. */
  waiting = 0;

  constructor(
    {
      store,
      roots,
      tables,
      listener,
      headMemory,
    }: Pick<Ledger, 'store' | 'roots' | 'tables' | 'listener'> & Partial<Pick<Ledger, 'headMemory'>>,
    patience: number,
    clock: Clock = new StoreClock(),
  ) {
    this.store = store;
    this.roots = roots;
    this.tables = tables;
    this.listener = listener;
    this.headMemory = headMemory;
    this.patience = patience;
    this.clock = clock;
  }

  /** For how long the oldest decision waits, in milliseconds. Who has left counts until the store takes what others wait for. */
  get oldestWait(): number {
    const now = performance.now();
    return Math.max(0, ...this.#queues.values().map(({ waitsSince }) => now - waitsSince));
  }

  /**
   * Judges a decision that may write, and tells its end once, perhaps at once: `settled`, when its entries are committed, or `failed`,
   * of a fault. A refusal settles it.
   */
  decide<Answer>(
    tenantId: string,
    decision: Decision<Answer>,
    how: Patience,
    settled: (settled: Settled<Answer | Refusal>) => void,
    failed: (error: unknown) => void,
  ): void {
    const queue = this.#queueOf(tenantId);
    const { cache } = queue;
    const deadline = this.#deadlineOf(how);
    const attempt = (asking: Decision, round: number): void => {
      // Under the lock, all that it asks for is read. The first attempt without it rests on what is remembered.
      const isLocked = how.isLocked === true || decision.changes === true || round === mostRounds;
      const isReady = !decision.prepare && (isLocked || (cache.guess && round === 1));
      const prepared = isReady ? undefined : this.#prepared(cache, asking);
      const end = (outcome: Outcome): void => {
        if ('needs' in outcome && round < mostRounds) attempt(withNeeds(asking, outcome.needs), round + 1);
        else this.#tell(tenantId, outcome, settled, failed);
      };
      queue.wait(asking, { ...how, isLocked }, deadline, end, prepared);
    };
    attempt(decision, 1);
  }

  /** Reads what a decision asks for, and lets it prepare. What it finds shows what it asks for next, so this takes some rounds. */
  async #prepared(cache: TenantCache, decision: Decision, rounds = mostRounds): Promise<void> {
    let guess = cache.guess ?? (await cache.read([]));
    const missing = this.#missing(guess, decision);
    if (missing.length > 0) guess = await cache.read(missing);
    await decision.prepare?.(this.#viewOf(guess)).catch((error: unknown) => {
      if (!(error instanceof Missing) || rounds === 0) throw error;
      return this.#prepared(cache, withNeeds(decision, error.needs), rounds - 1);
    });
  }

  /**
   * Judges a decision that writes nothing, in a state that the tenant had after the call: what is remembered, confirmed by a
   * look at the head, or a snapshot, which has all that it needs.
   */
  async read<Answer>(
    tenantId: string,
    decision: Decision<Answer>,
    how: Patience,
    reading: Reading,
    settled: (settled: Settled<Answer | Refusal>) => void,
    failed: (error: unknown) => void,
  ): Promise<void> {
    const { cache } = this.#queueOf(tenantId);
    const deadline = this.#deadlineOf(how);
    const outcome = await (
      (reading.snapshot ?? reading.ofAnyHead)
        ? this.#onSnapshot(cache, decision, deadline, reading.ofAnyHead)
        : this.#confirmed(cache, decision, deadline)
    ).catch(outcomeOf);
    this.#tell(tenantId, outcome, settled, failed);
  }

  async #confirmed(cache: TenantCache, decision: Decision, deadline: number): Promise<Outcome> {
    let asking = decision;
    for (let round = 1; round < mostRounds; round++) {
      const { guess: before } = cache;
      const guess = await cache.read(before ? this.#missing(before, asking) : []);
      const outcome = await judged(asking, guess, () => this.clock.now());
      if (!('needs' in outcome)) return outcome;
      asking = withNeeds(asking, outcome.needs);
    }
    return this.#onSnapshot(cache, asking, deadline);
  }

  async #onSnapshot(cache: TenantCache, decision: Decision, deadline: number, ofAnyHead = false) {
    const { guess: remembered } = cache;
    const named = remembered ? decision.needs(this.#viewOf(remembered)) : [];
    let asked = unique([refTo(tenants, cache.tenantId), ...named]);
    for (let round = 1; round <= mostRounds; round++) {
      const known = await cache.readSnapshot(asked, deadline);
      const guess = cache.guessFrom(known, asked, !ofAnyHead);
      let more = unique([...asked, ...decision.needs(new View(guess, known.time))]);
      if (more.length === asked.length) {
        const outcome = await judged(decision, guess, () => known.time);
        if ('needs' in outcome) more = unique([...asked, ...outcome.needs]);
        if (more.length === asked.length) return outcome;
      }
      asked = more;
    }
    throw changedTooOften();
  }

  /** What is remembered of a tenant, if anything is. It can be out of date. */
  remembered(tenantId: string): View | undefined {
    const { guess } = this.#queueOf(tenantId).cache;
    return guess && this.#viewOf(guess);
  }

  /** Forgets what it believes of a tenant. */
  forget(tenantId: string): void {
    this.guesses.delete(tenantId);
  }

  /** Tells the end. What a door throws must not be taken for an append that failed. */
  #tell<Answer>(
    tenantId: string,
    outcome: Outcome,
    settled: (settled: Settled<Answer | Refusal>) => void,
    failed: (error: unknown) => void,
  ): void {
    const end = endOf<Answer>(outcome);
    try {
      if ('error' in end) failed(end.error);
      else settled(end);
    } catch (error) {
      this.listener.failed?.(error, tenantId, 'answer');
    }
  }

  #viewOf(guess: Guess): View {
    return new View(guess, this.clock.now());
  }

  #missing(guess: Guess, decision: Decision): Need[] {
    return decision.needs(this.#viewOf(guess)).filter((need) => !guess.has(need));
  }

  #deadlineOf({ since = performance.now() }: Patience): number {
    return since + this.patience;
  }

  #queueOf(tenantId: string): Queue {
    const known = this.#queues.get(tenantId);
    if (known) return known;
    const queue = new Queue(new TenantCache(tenantId, this));
    this.#queues.set(tenantId, queue);
    return queue;
  }
}

/** The decision, with needs that it did not name. */
const withNeeds = (decision: Decision, needs: readonly Need[]): Decision => ({
  ...decision,
  needs: (view) => [...needs, ...decision.needs(view)],
});

async function judged(decision: Decision, guess: Guess, now: () => number): Promise<Outcome> {
  const failed = await decision.prepare?.(new View(guess, now())).catch(outcomeOf);
  return failed ?? judgeOnly(guess, now(), decision);
}

/** Makes the answer, once its entries are committed. Missing never leaves the ledger. */
function endOf<Answer>(outcome: Outcome): Settled<Answer | Refusal> | { readonly error: unknown } {
  if ('needs' in outcome) return { error: changedTooOften() };
  if ('error' in outcome) return outcome;
  const { answer, receipts } = outcome;
  try {
    const made: unknown = typeof answer === 'function' ? answer(receipts) : answer;
    return { answer: made as Answer, receipts };
  } catch (error) {
    return { error };
  }
}

/** Estimates the store's time from what it said last and the machine's monotonic clock, never from its wall clock. */
class StoreClock {
  #offset = performance.timeOrigin;

  now(): number {
    return Math.floor(performance.now() + this.#offset);
  }

  /** Is told what the store said. `startedAt`: the value of `performance.now()` before it was asked. */
  learn(time: number, startedAt: number): void {
    const least = time - performance.now();
    const most = time + 1 - startedAt;
    this.#offset = Math.min(Math.max(this.#offset, least), most);
  }
}

/** The time of a store. */
export type Clock = Pick<StoreClock, 'now' | 'learn'>;
