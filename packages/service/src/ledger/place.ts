// A tenant on this replica: what it is believed to be like, and how that is read. What a guess lacks is read with the head, in
// one snapshot and without a lock; all who wait share a read. The ledger (ledger.ts) judges and writes on it.
import { sameBytes } from '#platform';
import { Refusal, Tampered, unreachable } from '../rules/refusal.ts';
import { type Ground, Guess } from './guess.ts';
import { heads, type OpenTenant } from './row-macs.ts';
import type { HeadRow, Known } from './store.ts';
import { allOf, are, nameOf, type Need, refTo, unique } from './table.ts';
import { entries, type EntryRow, tenants } from './tables.ts';

/** There is no such tenant, or none any more. */
export class NoTenant extends Error {
  override readonly name = 'NoTenant';
}

/** For how long the lock is taken after another replica has written, in milliseconds. */
const othersFor = 1_000;

export class Place {
  readonly tenantId: string;
  readonly ground: Ground;
  /** Undefined if nothing is known. */
  guess: Guess | undefined;
  /** Whether this replica is writing, so that a newer head can be its own. */
  isWriting = false;
  #lockUntil = 0;
  /** The tenant as it was opened last. */
  #opened: OpenTenant | undefined;
  /** The read that runs, and the one that begins after it, with what it will read. */
  #reading: Promise<void> | undefined;
  #next: { readonly needs: Need[]; readonly read: Promise<void> } | undefined;

  constructor(tenantId: string, ground: Ground) {
    this.tenantId = tenantId;
    this.ground = ground;
  }

  /** Throws NoTenant if nothing is known. */
  get known(): Guess {
    if (!this.guess) throw new NoTenant(this.tenantId);
    return this.guess;
  }

  /** Whether another replica writes too, so that appends should take the lock. */
  get hasOthers(): boolean {
    return this.#lockUntil > performance.now();
  }

  /** The guess is still of the head before. */
  sawOthers(): void {
    if (!this.hasOthers && this.guess) void this.#tellLoss(this.guess.head).catch(() => {});
    this.#lockUntil = performance.now() + othersFor;
  }

  /** Tells of a log that went on without the entry that was its newest: a failover has lost it. */
  async #tellLoss({ id, hash }: HeadRow): Promise<void> {
    const query = allOf({ table: entries, where: are({ id }) });
    const known = await this.readFrom([query]);
    const [entry] = known.found.get(nameOf(query))?.rows ?? [];
    if (entry && !sameBytes((entry.row as EntryRow).hash, hash))
      this.ground.listener.wentBack?.(this.tenantId);
  }

  /** Reads rows, and the head. All who wait share a read that begins after the last of them has asked. */
  read(needs: readonly Need[]): Promise<void> {
    this.#next ??= { needs: [], read: this.#readAfter(this.#reading) };
    this.#next.needs.push(...needs);
    return this.#next.read;
  }

  async #readAfter(earlier: Promise<void> | undefined): Promise<void> {
    // Those who came meanwhile would wait for the same fault.
    const fault: unknown = await earlier?.then(undefined, (error: unknown) => error);
    const { needs = [], read } = this.#next ?? {};
    this.#reading = read;
    this.#next = undefined;
    try {
      if (fault) throw fault as Error;
      // What this replica appends meanwhile makes a read old. Rows are the same as long as their sum is.
      for (let isLaid = false; !isLaid;) {
        const asked = unique(this.guess ? needs : [refTo(tenants, this.tenantId), ...needs]);
        const seen = this.guess?.head.id;
        isLaid = this.lay(await this.readFrom(asked), asked, seen);
      }
    } finally {
      this.#reading = undefined;
    }
  }

  /** Reads from the store, without laying it in. Throws Refusal 503. */
  async readFrom(needs: readonly Need[], deadline?: number): Promise<Known> {
    const { store, clock, listener } = this.ground;
    const startedAt = performance.now();
    try {
      const known = await store.read(this.tenantId, needs, deadline);
      clock.learn(known.time, startedAt);
      return known;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      listener.failed?.(error, this.tenantId);
      throw unreachable(error);
    }
  }

  /**
   * Lays in what was read. Returns false if it is older than what this replica has written. `seen`: the id of the newest entry
   * when the read began. Throws NoTenant, and Tampered.
   */
  lay(known: Known, needs: readonly Need[], seen = 0): boolean {
    const { guess } = this;
    const { head } = known;
    if (!head) {
      this.guess = undefined;
      throw this.#headless(known);
    }
    if (!guess) {
      if (!known.rows.has(refTo(tenants, this.tenantId))) return false;
      this.guess = this.guessFrom(known, needs);
      return true;
    }
    const isSame = sameHead(guess.head, head);
    // A log has one entry of each id, so another head at the same id shows a loss too.
    if (head.id < seen || (head.id === guess.head.id && !isSame)) {
      this.ground.listener.wentBack?.(this.tenantId);
      this.guess = undefined;
      return this.lay(known, needs);
    }
    if (!isSame && !this.isWriting && head.id > guess.head.id) this.sawOthers();
    if (isSame || guess.hasRowsOf(head)) {
      if (head.id > guess.head.id) guess.follow(head);
      guess.lay(known, needs);
      return true;
    }
    if (head.id < guess.head.id) return false;
    this.guess = undefined;
    return this.lay(known, needs);
  }

  /** Makes a guess of a snapshot alone. */
  guessFrom(known: Known, needs: readonly Need[], checksHead = true): Guess {
    if (!known.head) throw this.#headless(known);
    const row = known.rows.get(refTo(tenants, this.tenantId));
    const guess = new Guess(this.ground, known.head, row, checksHead, this.#opened);
    this.#opened = { tenant: guess.tenant, secrets: guess.secrets };
    guess.lay(known, needs);
    return guess;
  }

  /** A tenant without a head is gone, unless its row is there. */
  #headless({ rows }: Known): Error {
    const { tenantId } = this;
    if (!rows.get(refTo(tenants, tenantId))) return new NoTenant(tenantId);
    this.ground.listener.tampered?.(heads.name, tenantId, tenantId);
    return new Tampered(heads.name, tenantId, tenantId);
  }
}

export const sameHead = (a: HeadRow, b: HeadRow): boolean => a.id === b.id && sameBytes(a.mac, b.mac);
