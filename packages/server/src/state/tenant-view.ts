import type { KeyObject } from 'node:crypto';
import type { Draft } from '@eaas/protocol/service';
import type { Receipt } from '@eaas/protocol/wire';
import type { Span } from '@opentelemetry/api';
import { Refusal } from '../base/refusal.ts';
import { SharedRead } from '../base/shared-read.ts';
import { type Waiter, WaitingRoom } from '../base/waiting-room.ts';
import type { TenantSecrets } from '../crypto/key-hierarchy.ts';
import { sameBytes } from '../crypto/hmac.ts';
import { withDeadline } from '../store/database.ts';
import type { HeadRow } from '../store/heads.ts';
import type { KeyRow } from '../store/keys.ts';
import type { TenantRow } from '../store/tenants.ts';
import type { OpenTenant } from './integrity.ts';
import { Newcomers } from './newcomers.ts';
import type { MinuteCount } from './tallies.ts';

/** What a request writes to the audit log, as decided in one state of the tenant. */
export interface Ruling {
  readonly state: TenantState;
  readonly drafts: readonly Draft[];
  /** The size of the drafts, as `draftBytes` estimates it. */
  readonly bytes: number;
  readonly actor: string;
  readonly ipAddress: string | null;
  /** When the caller's API key expires, and the decision with it. */
  readonly validUntil: number | null;
  readonly isEncrypt: boolean;
  readonly span?: Span | undefined;
}

/** The receipts of a request whose entries were written, `moved` if its decision is out of date. */
export type Outcome = Receipts | 'moved' | 'over_quota';

/** The place of an entry in the log. */
export type Position = Pick<HeadRow, 'id' | 'hash'>;

export function receiptOf({ id, hash }: Position): Receipt {
  return { id, hash: Buffer.from(hash).toString('hex') };
}

/**
 * The receipts of the entries that an append wrote for one request. `hashes` are those of the whole append, with one
 * character per byte: few requests need them all.
 */
export class Receipts {
  readonly #idBefore: number;
  readonly #hashes: readonly string[];
  readonly #start: number;

  /** `idBefore`: the id of the entry before the append. `start`: where the request's first hash is. */
  constructor(idBefore: number, hashes: readonly string[], start: number) {
    this.#idBefore = idBefore;
    this.#hashes = hashes;
    this.#start = start;
  }

  of(nth: number): Receipt {
    const index = this.#start + nth;
    return receiptOf({
      id: this.#idBefore + index + 1,
      hash: Buffer.from(this.#hashes[index] ?? '', 'latin1'),
    });
  }
}

/** A request that waits for the append of its entries. */
export type Waiting = Waiter<Ruling, Outcome>;

/** For how long requests wait for a change of the tenant, in milliseconds. A change can hang. */
const longestChange = 250;

/** A tenant as this replica knows it: its state, the newest head of its log, and the requests that wait for an append. */
export class TenantView {
  state: TenantState;
  head: HeadRow;
  /**
   * The value of `performance.now()` when the latest read of the tenant began. The result of a read that began earlier
   * must not replace newer data.
   */
  readAt: number;
  readonly room = new WaitingRoom<Ruling, Outcome>();
  isDraining = false;
  conflicts = 0;
  readonly unwraps: MinuteCount = { minute: 0, count: 0 };
  gone = false;
  #change: Promise<unknown> | null = null;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #confirmedTime = Number.NEGATIVE_INFINITY;
  readonly #headRead: SharedRead<void>;

  constructor(
    state: TenantState,
    head: HeadRow,
    readAt: number,
    readHead: (view: TenantView) => Promise<void>,
  ) {
    this.state = state;
    this.head = head;
    this.readAt = readAt;
    this.#headRead = new SharedRead(() => readHead(this));
  }

  /** Whether the tenant is still in this state, as far as this replica knows. */
  stands(state: TenantState): boolean {
    return !this.gone && this.state === state;
  }

  /** Reads the head of the log, unless it was read after the time `since`. Returns the database's time of that read. */
  async confirm(since: number): Promise<number> {
    while (this.#confirmedAt < since && !this.gone) await this.#headRead.run();
    return this.#confirmedTime;
  }

  /** Notes that a query that began at `startedAt` found the tenant in its present state. */
  wasCurrent(startedAt: number, time: number): void {
    if (startedAt < this.#confirmedAt) return;
    this.#confirmedAt = startedAt;
    this.#confirmedTime = time;
  }

  get isChanging(): boolean {
    return this.#change !== null;
  }

  /** Runs a change of the tenant. While it runs, appends wait in the room and use no database connections. */
  async changing<T>(work: () => Promise<T>): Promise<T> {
    const change = work();
    this.#change = change;
    try {
      return await change;
    } finally {
      if (this.#change === change) this.#change = null;
    }
  }

  /** Waits until the present change ends, or has taken too long. */
  async afterChange(): Promise<void> {
    if (this.#change) await withDeadline(this.#change, longestChange).catch(() => {});
  }
}

/** A key with its decrypted secrets. OpenSSL overwrites a secret when its KeyObject is freed. */
export interface KeyMaterial {
  readonly row: KeyRow;
  readonly hashKey: KeyObject | null;
  readonly versions: Map<number, KeyObject | null>;
  intakePublicKey?: string;
}

/**
 * Identifies the tenant's last change. The id of the change is not enough, because a restored database assigns the same
 * ids again.
 */
type StateName = Pick<HeadRow, 'state_id' | 'state_hash'>;

let lastEpoch = 0;

export class TenantState {
  readonly name: StateName;
  readonly tenant: TenantRow;
  readonly secrets: TenantSecrets;
  readonly epoch: number;
  readonly newcomers: Newcomers;

  /** `before`: the state from which this one differs only in rows that were dropped from what the replica remembers. */
  constructor({ state_id, state_hash }: StateName, { tenant, secrets }: OpenTenant, before?: TenantState) {
    this.name = { state_id, state_hash };
    this.tenant = tenant;
    this.secrets = secrets;
    this.epoch = before?.epoch ?? ++lastEpoch;
    this.newcomers = before?.newcomers ?? new Newcomers();
  }

  isNamed({ state_id, state_hash }: StateName): boolean {
    return this.name.state_id === state_id && sameBytes(this.name.state_hash, state_hash);
  }
}

export class StateMoved extends Error {
  override readonly name = 'StateMoved';
}

export function noSuchTenant(): Refusal {
  return new Refusal('not_found', 'Tenant not found.');
}
