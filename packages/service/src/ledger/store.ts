// What the ledger needs of a database. PostgreSQL (in the server), memory and the key file have it.
import type { Found, Need, Ref, Table, Write } from './table.ts';
import type { EntryRow, HeadRow, TallyRow } from './tables.ts';

/** A row as it is stored. `newest_rev`: the newest record of its changes, or null. */
export interface Stored {
  readonly row: object & { readonly mac?: Uint8Array };
  readonly newest_rev: number | null;
}

/** What a store knows of a tenant, in one snapshot. */
export interface Known {
  /** Null if there is no such tenant. */
  readonly head: HeadRow | null;
  /** The database's time, in milliseconds since 1970. */
  readonly time: number;
  readonly rows: ReadonlyMap<Ref, Stored | null>;
  /** What queries found, by their names. */
  readonly found: ReadonlyMap<string, Found<Stored>>;
  /** Under the lock: which of the lost links was written, if one was. */
  readonly written?: Link | undefined;
}

/** Consecutive entries that differ only in their ids and hashes. `first` and `last` count from 1 within the link. */
export interface Run extends Pick<EntryRow, 'action' | 'key_id' | 'key_version' | 'actor' | 'ip_address'> {
  readonly first: number;
  readonly last: number;
  readonly metadata: string;
}

/** A row that a link writes, with its MAC, and the record of the change. */
export interface SealedWrite extends Write {
  readonly row: object & { readonly mac?: Uint8Array };
  readonly record: { readonly row_id: string; readonly rev: number } | null;
  /** The row that it replaces, as it was before the link. */
  readonly before?: object | null;
}

/** Entries that follow a head, with their rows and counts: all are written, or nothing. */
export interface Link {
  readonly expected: Pick<HeadRow, 'id' | 'mac'>;
  readonly next: HeadRow;
  readonly runs: readonly Run[];
  /** The hash, the MAC and the salt of each entry, 80 bytes each. */
  readonly seals: Uint8Array;
  readonly writes: readonly SealedWrite[];
  /** How many entries of each kind it has. */
  readonly tallies: readonly Pick<TallyRow, 'key_id' | 'key_version' | 'action' | 'n' | 'refused'>[];
  /** The blocks of its entries (blocks.ts) that this replica does not know to be stored. */
  readonly blocks: readonly string[];
  /** The database's time as it was estimated when the link was judged. */
  readonly now: number;
}

/**
 * `moved`: another link came first. `clock`: the time of the link differs too much from the database's. In both cases
 * nothing was written.
 */
export interface Appended {
  readonly outcome: 'written' | 'moved' | 'clock';
  readonly time: number;
  /** The head that is there, if another link came first. Absent if there is none, or the store does not say. */
  readonly head?: HeadRow;
}

/** Reads on in one snapshot. */
export interface Reader {
  readonly known: Known;
  /** All rows of a table, in pages of any size. */
  rows(table: Table<never>): AsyncIterable<readonly Stored[]> | Iterable<readonly Stored[]>;
}

/**
 * Keeps tenants. A store throws LinkRefused if it cannot store what a link has, and anything else if it does not know
 * whether it has. Each call of it ends, because others wait behind it: a store limits its own time.
 */
export interface Store {
  /** Reads the head and rows in one snapshot. `deadline`: when the caller has gone, as a value of `performance.now()`. */
  read(tenantId: string, needs: readonly Need[], deadline?: number): Promise<Known>;
  /** Appends a link if the head is still the one that it expects. */
  append(tenantId: string, link: Link): Promise<Appended>;
  /**
   * Locks the head, reads, and appends what `work` makes of it, in one transaction. `lost`: links of which nobody knows
   * whether they were written. Returns the outcome, or undefined if `work` made nothing. Nothing that `work` judged may leave
   * before this has returned. `deadline`: the value of `performance.now()` at which nobody waits any more, so that nothing
   * should be written.
   */
  locked(
    tenantId: string,
    needs: readonly Need[],
    lost: readonly Link[],
    work: (known: Known) => Link | undefined,
    deadline?: number,
  ): Promise<Appended | undefined>;
  /** Reads the head and rows, and whatever `work` reads on, in one snapshot. */
  snapshot<T>(tenantId: string, needs: readonly Need[], work: (reader: Reader) => Promise<T>): Promise<T>;
  /**
   * Whose tokens and issuers these are, by the hash of a token in hexadecimal characters, or the id of an issuer. Those that
   * do not exist are absent.
   */
  whose(names: readonly string[]): Promise<ReadonlyMap<string, Owned>>;
  /** Adds a tenant with its first rows. Throws LinkRefused if it exists. */
  create(head: HeadRow, writes: readonly SealedWrite[]): Promise<void>;
}

/** The row that a token or an issuer's id names. */
export interface Owned {
  readonly tenantId: string;
  readonly id: string;
}

/** The store refuses what a link has, and has written nothing. */
export class LinkRefused extends Error {
  override readonly name = 'LinkRefused';
}
