// What this replica believes of a tenant, and how that is read. What a guess lacks is read with the head, in one snapshot and without
// a lock; all who wait share a read. The ledger (ledger.ts) judges and writes on it.
import { sameBytes } from '#platform';
import { changedTooOften, Refusal, Tampered, unreachable } from '../rules/refusal.ts';
import { Guess } from './guess.ts';
import { entryOfHead, findSeen, needsToFind } from './head-memory.ts';
import type { Ledger } from './ledger.ts';
import { SharedRead } from './shared-read.ts';
import type { Known, Link, SealedWrite } from './store.ts';
import { nameOf, type Need, type Ref, refTo, unique } from './table.ts';
import { type EntryRow, type HeadRow, heads, tenants } from './tables.ts';

/** There is no such tenant, or none any more. */
export class NoTenant extends Error {
  override readonly name = 'NoTenant';
}

/** How often a replica looks whether a loss was the reason that another has written, in milliseconds. */
const looksEvery = 1_000;
/** So many heads wait to be looked up at most. With more, the oldest ones and the newest stay. */
const mostUnchecked = 8;

export class TenantCache {
  readonly tenantId: string;
  readonly ledger: Ledger;
  /** Whether this replica is writing, so that a newer head can be its own. */
  isWriting = false;
  #newest: HeadRow | undefined;
  /** Heads on which another replica has written, the oldest first: nobody has looked yet whether the log still has them. */
  #unchecked: HeadRow[] = [];
  #looksAgainAt = 0;
  #isLookDue = false;
  /** Whether the log was found to have the entry that is remembered from before, so that a newer one can take its place. */
  #hasRememberedEntry = false;
  /** The remembered entry of which the log was told to lack it. */
  #toldLossId: number | undefined;
  readonly #reads = new SharedRead<Guess, Need>((needs) => this.#read(needs));

  constructor(tenantId: string, ledger: Ledger) {
    this.tenantId = tenantId;
    this.ledger = ledger;
  }

  /** Undefined if nothing is known. It can end at any time. */
  get guess(): Guess | undefined {
    return this.ledger.guesses.get(this.tenantId);
  }

  /** The head that was seen last. It outlives the guess, so that a loss is noticed. */
  get newest(): HeadRow | undefined {
    return this.#newest;
  }

  forget(): void {
    this.ledger.guesses.delete(this.tenantId);
  }

  #see(head: HeadRow): void {
    this.#newest = head;
    // A new tenant has no entry yet.
    if (this.#hasRememberedEntry && head.id > 0) this.ledger.headMemory?.saw(this.tenantId, head);
  }

  /** Another replica has written. The newest head is still the one before. */
  sawForeignAppend(): void {
    if (!this.#newest) return;
    this.#keepUnchecked([this.#newest]);
    this.#lookWhenDue();
  }

  #keepUnchecked(heads: readonly HeadRow[]): void {
    const all = [...this.#unchecked, ...heads].toSorted((a, b) => a.id - b.id);
    const newest = all.at(-1);
    this.#unchecked = all.slice(0, mostUnchecked - 1);
    if (newest && all.length >= mostUnchecked) this.#unchecked.push(newest);
  }

  /** Looks at once, or when the second after the last look is over. A look that fails is repeated. */
  #lookWhenDue(): void {
    if (this.#isLookDue || this.#unchecked.length === 0) return;
    const rest = this.#looksAgainAt - performance.now();
    if (rest > 0) {
      this.#isLookDue = true;
      const timer: unknown = setTimeout(() => {
        this.#isLookDue = false;
        this.#lookWhenDue();
      }, rest);
      (timer as { unref?(): void }).unref?.();
      return;
    }

    this.#looksAgainAt = performance.now() + looksEvery;
    const heads = this.#unchecked;
    this.#unchecked = [];
    void this.#tellLosses(heads).catch(() => {
      this.#keepUnchecked(heads);
      this.#lookWhenDue();
    });
  }

  /** Tells of a log that went on without an entry that was its newest: a failover has lost it, or a backup was put back. */
  async #tellLosses(seenHeads: readonly HeadRow[]): Promise<void> {
    const known = await this.readFrom(seenHeads.map(entryOfHead));
    for (const seen of seenHeads) {
      const [entry] = known.found.get(nameOf(entryOfHead(seen)))?.rows ?? [];
      const isLost = entry !== undefined && !sameBytes((entry.row as EntryRow).hash, seen.hash);
      if (isLost) this.#tellWentBack(seen, known.head);
    }
  }

  #tellWentBack(seen: Pick<HeadRow, 'id'>, found: HeadRow | null | undefined): void {
    this.ledger.listener.wentBack?.(this.tenantId, seen.id, found?.id ?? 0);
  }

  /**
   * Reads rows, and the head. All who wait share a read that begins after the last of them has asked. Returns the guess that
   * has them: they judge by that one, because another can take its cache.
   */
  read(needs: readonly Need[]): Promise<Guess> {
    return this.#reads.run(needs);
  }

  async #read(needs: readonly Need[]): Promise<Guess> {
    const end = performance.now() + this.ledger.patience;
    // What this replica appends meanwhile makes a read old. Rows are the same as long as their sum is.
    while (performance.now() <= end) {
      const asked = unique(this.guess ? needs : [refTo(tenants, this.tenantId), ...needs]);
      const seen = this.#newest?.id;
      const guess = this.merge(await this.readFrom(asked), asked, seen);
      if (guess) return guess;
    }
    throw changedTooOften();
  }

  /** Reads all that is asked for in one snapshot, and remembers nothing of it. Tells a loss that it shows. Throws Refusal 503. */
  async readSnapshot(needs: readonly Need[], deadline: number): Promise<Known> {
    const seen = this.#newest;
    const known = await this.readFrom(needs, deadline);
    if (seen && known.head && isBehind(known.head, seen)) this.#tellWentBack(seen, known.head);
    return known;
  }

  /** Reads from the store, and remembers nothing of it. Throws Refusal 503. */
  async readFrom(needs: readonly Need[], deadline?: number): Promise<Known> {
    const { store, clock, listener, headMemory } = this.ledger;
    const remembered = this.guess ? undefined : headMemory?.get(this.tenantId);
    const asked = remembered ? unique([...needs, ...needsToFind(this.tenantId, remembered)]) : needs;
    const startedAt = performance.now();
    try {
      const known = await store.read(this.tenantId, asked, deadline);
      clock.learn(known.time, startedAt);
      return known;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      listener.failed?.(error, this.tenantId, 'read');
      throw unreachable(error);
    }
  }

  /**
   * Merges what was read into the guess. Returns the guess that has it, or undefined if it is older than what this replica has written, or
   * lacks the tenant's row. `seen`: the id of the newest entry when the read began. Throws NoTenant, and Tampered.
   */
  merge(known: Known, needs: readonly Need[], seen = 0): Guess | undefined {
    const { head } = known;
    if (!head) {
      this.forget();
      throw this.#headless(known);
    }
    const { guess } = this;
    const before = guess?.head ?? this.#newest;
    const isSame = before !== undefined && sameHead(before, head);
    // A log has one entry of each id, so another head at the same id shows a loss too.
    if (before && (head.id < seen || (head.id === before.id && !isSame))) {
      this.#lose(before, head);
      return this.merge(known, needs);
    }
    if (before && !isSame && !this.isWriting && head.id > before.id) this.sawForeignAppend();
    if (guess && (head.id > guess.head.id ? guess.follow(head) : isSame || guess.hasRowsOf(head))) {
      guess.merge(known, needs);
      return this.#resize(guess);
    }
    if (before && head.id < before.id) return undefined;
    this.forget();
    if (!known.rows.has(refTo(tenants, this.tenantId))) return undefined;
    const made = this.guessFrom(known, needs);
    this.ledger.guesses.set(this.tenantId, made, made.bytes);
    this.#see(made.head);
    return made;
  }

  /**
   * Takes in the head that an append found instead of the expected one. Returns whether it is that of the guess now, or an older one,
   * so that the guess can be judged on again without the lock. Throws Tampered.
   */
  meet(expected: Link['expected'], head: HeadRow | undefined): boolean {
    const { guess } = this;
    if (!head || !guess) return false;
    const isLoss = head.id <= expected.id || (head.id === guess.head.id && !sameHead(head, guess.head));
    if (isLoss) {
      this.#lose(guess.head, head);
      return false;
    }
    if (head.id <= guess.head.id) return true;
    this.sawForeignAppend();
    if (!guess.follow(head)) return false;
    this.#see(head);
    return true;
  }

  #lose(seen: HeadRow, found: HeadRow): void {
    this.#tellWentBack(seen, found);
    this.forget();
    this.#newest = undefined;
    this.#hasRememberedEntry = false;
  }

  /** Looks whether a log that is opened anew still has the entry that is remembered of it. A loss is told, and refuses nothing. */
  #compareWithMemory(known: Known, guess: Guess): void {
    const { headMemory, listener } = this.ledger;
    const remembered = headMemory?.get(this.tenantId);
    if (!remembered) {
      this.#hasRememberedEntry = true;
      return;
    }

    const found = findSeen(remembered, known, guess);
    const isNewLoss = found === 'lost' && this.#toldLossId !== remembered.id;
    if (isNewLoss) this.#tellWentBack(remembered, known.head);
    if (found) this.#toldLossId = found === 'lost' ? remembered.id : undefined;
    if (found === 'purged') listener.rememberedIsPurged?.(this.tenantId, remembered.id);
    if (found) this.#hasRememberedEntry = found !== 'lost';
  }

  /** Goes on to a head that this replica wrote, with the rows of its link. */
  advance(link: Link, sum: bigint, writes: ReadonlyMap<Ref, SealedWrite>): void {
    const { guess } = this;
    const { next: head } = link;
    if (guess && head.id > guess.head.id) guess.advance(link, sum, writes);
    if (writes.has(refTo(tenants, this.tenantId))) this.forget();
    else if (guess && writes.size > 0) this.#resize(guess);
    if (head.id > (this.#newest?.id ?? 0)) this.#see(head);
  }

  #resize(guess: Guess): Guess {
    this.ledger.guesses.resize(this.tenantId, guess.bytes);
    this.#see(guess.head);
    return guess;
  }

  /** Makes a guess of a snapshot alone. */
  guessFrom(known: Known, needs: readonly Need[], checksHead = true): Guess {
    if (!known.head) throw this.#headless(known);
    const row = known.rows.get(refTo(tenants, this.tenantId));
    const { tenants: opened } = this.ledger;
    const before = opened.get(this.tenantId);
    const guess = new Guess(this.ledger, known.head, row, checksHead, before);
    const { tenant, secrets } = guess;
    if (secrets !== before?.secrets) opened.set(this.tenantId, { tenant, secrets });
    guess.merge(known, needs);
    this.#compareWithMemory(known, guess);
    return guess;
  }

  /** A tenant without a head is gone, unless its row is there. */
  #headless({ rows }: Known): Error {
    const { tenantId } = this;
    if (!rows.get(refTo(tenants, tenantId))) return new NoTenant(tenantId);
    this.ledger.listener.tampered?.(heads.name, tenantId, tenantId);
    return new Tampered(heads.name, tenantId, tenantId);
  }
}

export const sameHead = (a: HeadRow, b: HeadRow): boolean => a.id === b.id && sameBytes(a.mac, b.mac);

/** Whether a head shows that the log lacks an entry that was its newest when the other head was. */
const isBehind = (head: HeadRow, seen: HeadRow): boolean =>
  head.id < seen.id || (head.id === seen.id && !sameHead(head, seen));
