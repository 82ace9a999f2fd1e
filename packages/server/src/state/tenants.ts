import type { RootKey } from '../crypto/key-hierarchy.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import type { Database } from '../store/database.ts';
import { findHead, type HeadRow, type SeenHead } from '../store/heads.ts';
import { findTenant, type TenantRow } from '../store/tenants.ts';
import { apiKeyHolds, checkedHead, openTenant } from './integrity.ts';
import { sameBytes } from '../crypto/same-bytes.ts';
import { Queue } from './queue.ts';
import { TenantState } from './tenant-state.ts';
import { TokenLookups } from './token-lookups.ts';

/** A replica's sight of one tenant: its state, where its chain stands, and who waits to append. */
export interface TenantView {
  state: TenantState;
  head: HeadRow;
  /** Reads that began before this are older than what is known. */
  readAt: number;
  /** The state was current at some moment after this. */
  confirmedAt: number;
  readonly queue: Queue;
  /** A read of the head that has not begun, for all who need one. */
  nextRead: Promise<void> | null;
  reading: Promise<void> | null;
  /** Appends in a row that came after another replica's. */
  conflicts: number;
  /** Another view has taken its place, or the tenant is gone. */
  gone: boolean;
}

/** The tenants that this replica has in sight. */
export class Tenants {
  readonly database: Database;
  /** The root keys: the current one first, while rotating also the previous. */
  readonly roots: readonly [RootKey, ...RootKey[]];
  readonly #views = new BoundedMap<string, TenantView>(10_000);
  readonly #byToken = new BoundedMap<string, string>(100_000);
  readonly #lookups: TokenLookups;
  /** How often a head was found behind where it had been: the database was restored or failed over. */
  wentBack = 0;

  constructor(database: Database, roots: readonly [RootKey, ...RootKey[]]) {
    this.database = database;
    this.#lookups = new TokenLookups(database);
    this.roots = roots;
  }

  /** The view of a tenant, loaded if need be; undefined for a tenant that does not exist. */
  async view(tenantId: string): Promise<TenantView | undefined> {
    return this.#views.get(tenantId) ?? (await this.reload(tenantId));
  }

  /** Reads the tenant and its head anew. */
  async reload(tenantId: string): Promise<TenantView | undefined> {
    const startedAt = performance.now();
    const known = this.#views.get(tenantId);
    const before = known?.head;
    const [tenant, head] = await this.database.snapshot((tx) =>
      Promise.all([findTenant(tx, tenantId), findHead(tx, tenantId, before?.id)]),
    );
    if (!tenant || !head) return this.forget(tenantId);
    if (known && before && startedAt >= known.readAt && isAnother(before, head)) {
      this.wentBack++;
      this.forget(tenantId);
    }
    return this.#learn(startedAt, tenant, head);
  }

  /** Whether a judgement by this state still stands, as far as is known here. */
  stands(view: TenantView, state: TenantState): boolean {
    return !view.gone && view.state === state;
  }

  /** Whether a token was looked up before. */
  remembers(tokenHash: Uint8Array): boolean {
    return this.#byToken.get(Buffer.from(tokenHash).toString('hex')) !== undefined;
  }

  /** The API key that a token names, with its tenant. Unknown tokens are never remembered. */
  async findByToken(tokenHash: Uint8Array): Promise<{ view: TenantView; apiKey: ApiKeyRow } | undefined> {
    const token = Buffer.from(tokenHash).toString('hex');
    const known = this.#views.get(this.#byToken.get(token) ?? '');
    const remembered = known?.state.apiKeys.get(token);
    if (known && remembered) return { view: known, apiKey: remembered };

    const found = await this.#lookups.find(token, tokenHash);
    if (!found) return undefined;
    const { startedAt, apiKey, tenant, head } = found;
    const view = this.#learn(startedAt, tenant, head);
    // A row that was changed behind the service's back is no credential.
    if (!apiKeyHolds(view.state.secrets, apiKey)) return undefined;
    if (view.state.stateId !== head.state_id) return this.findByToken(tokenHash);
    view.state.apiKeys.set(token, apiKey);
    this.#byToken.set(token, tenant.tenant_id);
    return { view, apiKey };
  }

  /** Makes sure that the state is known to have been current after a moment. One read serves all who wait. */
  async confirm(view: TenantView, since: number): Promise<void> {
    while (view.confirmedAt < since && !view.gone) {
      view.nextRead ??= this.#readAfter(view, view.reading);
      await view.nextRead;
    }
  }

  /** A successful append: the head is this one, and the state was still current. */
  advanced(view: TenantView, head: HeadRow, startedAt: number): void {
    view.head = head;
    view.readAt = performance.now();
    view.confirmedAt = Math.max(view.confirmedAt, startedAt);
  }

  async #readAfter(view: TenantView, earlier: Promise<void> | null): Promise<void> {
    await earlier?.catch(() => {});
    view.reading = view.nextRead;
    view.nextRead = null;
    const { tenant_id: tenantId } = view.state.tenant;
    try {
      const startedAt = performance.now();
      const known = view.head;
      const row = await this.database.run((sql) => findHead(sql, tenantId, known.id), 2_000);
      if (row && row.state_id === view.state.stateId && !isAnother(known, row)) {
        this.#noteHead(view, startedAt, checkedHead(view.state.secrets, tenantId, row));
      } else if ((await this.reload(tenantId)) !== view) {
        view.gone = true;
      }
    } finally {
      view.reading = null;
    }
  }

  #learn(startedAt: number, tenant: TenantRow, row: HeadRow): TenantView {
    const known = this.#views.get(tenant.tenant_id);
    if (known && startedAt < known.readAt) return known;
    const state =
      known && known.state.stateId === row.state_id
        ? known.state
        : new TenantState(row.state_id, tenant, openTenant(this.roots, tenant));
    const head = checkedHead(state.secrets, tenant.tenant_id, row);
    if (known) {
      known.state = state;
      this.#noteHead(known, startedAt, head);
      return known;
    }
    const view: TenantView = {
      state,
      head,
      readAt: startedAt,
      confirmedAt: startedAt,
      queue: new Queue(),
      nextRead: null,
      reading: null,
      conflicts: 0,
      gone: false,
    };
    this.#views.set(tenant.tenant_id, view);
    return view;
  }

  #noteHead(view: TenantView, startedAt: number, head: HeadRow): void {
    if (startedAt >= view.readAt) {
      view.head = head;
      view.readAt = startedAt;
    }
    view.confirmedAt = Math.max(view.confirmedAt, startedAt);
  }

  /** Drops what is remembered of a tenant: the next request reads it anew. */
  forget(tenantId: string): undefined {
    const view = this.#views.get(tenantId);
    this.#views.delete(tenantId);
    if (view) view.gone = true;
  }
}

/**
 * Whether the chain is not the one that was known before it was read: shorter, or with another entry where the known
 * head was. A database that was restored gives ids again, those of states too. What was purged says nothing.
 */
function isAnother(known: HeadRow, row: SeenHead): boolean {
  const then = row.id === known.id ? row.hash : row.known_hash;
  return row.id < known.id || (!!then && !sameBytes(then, known.hash));
}
