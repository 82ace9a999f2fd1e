// What a replica believes a tenant is like: the head and the rows that it last saw. While the database is honest, a guess is
// harmless, because only an append that finds the same head rests on it. Rows are checked when they are merged, so one that
// was put back for a moment would be believed: a guess ends after ten minutes, and after each finished verification.
import { toBase64 } from '@eaas/protocol/internal-base64';
import { isBytes, type SecretPlace } from '@eaas/protocol/internal';
import { openMaterial } from '#platform';
import type { Secret } from '../crypto/secret.ts';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import { Tampered } from '../rules/refusal.ts';
import type { Ledger } from './ledger.ts';
import { merged } from './query.ts';
import { Remembered } from './remembered.ts';
import { checkRow, type OpenTenant, openTenant, unmasked } from './row-macs.ts';
import type { Known, Link, SealedWrite, Stored } from './store.ts';
import { type Found, nameOf, type Need, type Query, type Ref, refOf, refTo, type Table } from './table.ts';
import { type HeadRow, heads, type TenantRow, tenants } from './tables.ts';

/** A row as it is believed: null if there is none, and Tampered if what is stored is not what the service wrote. */
type Believed = object | Tampered | null;

/**
 * What a service was about when it failed: to read rows, to find whose a token is, to tell an answer, to append, or to get the
 * tenant's lock and append under it.
 */
export type Step = 'read' | 'look-up' | 'answer' | 'append' | 'lock' | 'append under lock';

/** What a service tells whoever runs it. */
export interface Listener {
  /** The store could not be read, or a request failed unexpectedly. */
  failed(error: unknown, tenantId: string, step: Step): void;
  appended(tenantId: string, link: Link): void;
  /** The store refused a link, or nobody knows whether it has it. */
  unwritten(error: unknown, tenantId: string, step: Step): void;
  /** Another replica's append came first. */
  moved(): void;
  /**
   * The log lacks an entry that was its newest when this replica saw it: a restore, a failover that lost data, or rows that were put
   * back. `foundId` is its newest entry now.
   */
  wentBack(tenantId: string, seenId: number, foundId: number): void;
  /**
   * The newest entry that this replica remembers of a log is before those that the log keeps, so nobody can say whether it is the same
   * log.
   */
  rememberedIsPurged(tenantId: string, seenId: number): void;
  /** A row, a head or an entry that is not as the service wrote it. */
  tampered(table: string, id: string, tenantId: string): void;
  /** A request presented this API key. */
  used(tenantId: string, apiKeyId: string): void;
}

/** The most rows that one guess remembers: more than a decision rests on. */
const mostRows = 12_000;
/** The most queries that it remembers: more than the calls of a tenant that run at once. Each write looks at them. */
const mostFound = 300;
/** The most bytes of its rows, and of what queries found. */
const mostBytes = 8 * 1024 * 1024;

export class Guess {
  readonly ledger: Ledger;
  readonly #rows = new Remembered<Believed>(mostRows, Infinity, mostBytes);
  readonly #found = new Remembered<{ query: Query<never>; found: Found<object> }>(
    mostFound,
    Infinity,
    mostBytes,
  );
  readonly tenant: TenantRow;
  readonly secrets: TenantSecrets;
  head: HeadRow;
  /** The sum of all rows, without the mask of the head. */
  sum: bigint;
  /** The names of queries of loose tables, whose answers stand. */
  readonly #loose = new Set<string>();
  /** Blocks that this replica has stored since it knows each head. */
  readonly blocks = new Set<string>();

  /** Throws Tampered for a tenant's row or, unless it is not checked, a head that the service did not write. */
  constructor(
    ledger: Ledger,
    head: HeadRow,
    stored: Stored | null | undefined,
    checksHead = true,
    before?: OpenTenant,
  ) {
    const { tenant_id: tenantId } = head;
    this.ledger = ledger;
    const opened = stored && openTenant(ledger.roots, stored, before);
    if (!opened) throw this.#accuse(new Tampered(tenants.name, tenantId, tenantId));
    this.tenant = opened.tenant;
    this.secrets = opened.secrets;
    this.head = checksHead ? this.#checked(head) : head;
    this.sum = checksHead ? unmasked(opened.secrets, head) : 0n;
    this.#keep(refTo(tenants, tenantId), opened.tenant);
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#rows.bytes + this.#found.bytes;
  }

  /** The row, or undefined if it was not read. Throws Tampered. */
  row(ref: Ref): object | null | undefined {
    const row = this.#rows.get(ref);
    if (row instanceof Tampered) throw row;
    return row;
  }

  found(query: Query<never>): Found<object> | undefined {
    return this.#found.get(nameOf(query))?.found;
  }

  /** Opens a secret of the tenant, which is remembered. Throws Tampered. */
  open(place: SecretPlace, sealed: Uint8Array): Secret {
    const name = names.get(sealed) ?? nameOfSecret(place, sealed);
    const known = this.ledger.opened.get(name);
    if (known) return known;
    const opened = openMaterial(this.secrets.sealing, place, sealed);
    if (!opened) throw new Tampered(place.purpose, place.keyId ?? '', this.tenant.tenant_id);
    names.set(sealed, name);
    this.ledger.opened.set(name, opened);
    return opened;
  }

  /** Whether a need can be met without a look at the database. Loose rows change without an entry. */
  has(need: Need): boolean {
    const isKnown = typeof need === 'string' ? this.#rows.has(need) : this.#found.has(nameOf(need));
    return isKnown && !this.#tableOf(need).isLoose;
  }

  /** Whether all rows are the same under another head. */
  hasRowsOf(head: HeadRow): boolean {
    return this.sum === unmasked(this.secrets, head);
  }

  /**
   * Goes on to a newer head that another replica wrote without a change of rows, if it did. Throws Tampered, because the sum of the
   * rows says nothing about quota, month and time. Loose rows may be others now.
   */
  follow(head: HeadRow): boolean {
    if (!this.hasRowsOf(this.#checked(head))) return false;
    this.head = head;
    this.blocks.clear();
    for (const name of this.#loose) this.#found.delete(name);
    this.#loose.clear();
    return true;
  }

  /** Adds what a store has read under the head of this guess, or under one with the same rows. */
  merge({ rows, found }: Known, needs: readonly Need[]): void {
    for (const [ref, stored] of rows) this.#keep(ref, stored && this.#believe(this.#tableOf(ref), stored));
    for (const query of needs) {
      const all = found.get(nameOf(query));
      if (typeof query !== 'string' && all) this.#answer(query, this.#shown(query, all));
    }
  }

  /** Checks the rows that a query found, and keeps them by their ids too. Throws Tampered when one of them is used. */
  #shown(query: Query<never>, { rows, ...counts }: Found<Stored>): Found<object> {
    const table = this.#tableOf(query);
    const shown = rows.map((stored) => {
      const row = this.#believe(table, stored);
      if (!table.isLoose) this.#keep(refOf(table, stored.row as never), row);
      return row;
    });
    return { rows: shown, ...counts };
  }

  /** Goes on to a head that this replica wrote, with the rows of its link. */
  advance({ next, blocks }: Link, sum: bigint, writes: ReadonlyMap<Ref, SealedWrite>): void {
    this.head = next;
    if (this.blocks.size > mostRows) this.blocks.clear();
    for (const name of blocks) this.blocks.add(name);
    this.sum = BigInt.asUintN(256, sum);
    if (writes.size === 0) return;
    for (const [ref, { row }] of writes) this.#keep(ref, row);
    for (const { query, found } of this.#found.values()) {
      const now = merged(query, found, writes);
      if (now === undefined) this.#found.delete(nameOf(query));
      else if (now !== found) this.#answer(query, now);
    }
  }

  #keep(ref: Ref, row: Believed): void {
    this.#rows.set(ref, row, row ? sizeOf(row) : rowOverhead);
  }

  #answer(query: Query<never>, found: Found<object>): void {
    const bytes = found.rows.reduce((sum, row) => sum + sizeOf(row), rowOverhead);
    this.#found.set(nameOf(query), { query, found }, bytes);
    if (query.table.isLoose) this.#loose.add(nameOf(query));
  }

  #believe(table: Table<never>, stored: Stored): object {
    if (table.isLoose && !table.record) return stored.row;
    try {
      return checkRow(this.secrets, table, stored);
    } catch (error) {
      return this.#accuse(error);
    }
  }

  /** The table of a row, or of a query. */
  #tableOf(need: Need): Table<never> {
    const name = typeof need === 'string' ? need.slice(0, need.indexOf(' ')) : need.table.name;
    const table = this.ledger.tables.get(name);
    if (!table) throw new Error(`there is no table ${name}`);
    return table;
  }

  #checked(head: HeadRow): HeadRow {
    const fault = this.#believe(heads, { row: head, newest_rev: null });
    if (fault instanceof Tampered) throw fault;
    return head;
  }

  #accuse(error: unknown): Tampered {
    if (!(error instanceof Tampered)) throw error;
    this.ledger.listener.tampered?.(error.row.table, error.row.id, error.row.tenantId);
    return error;
  }
}

/** The names of opened secrets, by the sealed bytes as they stand in a row, which is in one place. */
const names = new WeakMap<Uint8Array, string>();

const nameOfSecret = ({ purpose, tenantId, keyId, version }: SecretPlace, sealed: Uint8Array): string =>
  `${purpose} ${tenantId} ${keyId} ${version} ${toBase64(sealed)}`;

/** What a row takes beside its values, and each value beside its content. Both are measured. */
const rowOverhead = 300;
const valueOverhead = 32;

/** About how many bytes of memory a row takes. */
const sizeOf = (row: object): number =>
  Object.values(row).reduce((sum: number, value: unknown) => sum + sizeOfValue(value), rowOverhead);

function sizeOfValue(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + sizeOfValue(one), valueOverhead);
  return typeof value === 'string' || isBytes(value) ? valueOverhead + value.length : 0;
}
