import type { Alarms } from '../alarms.ts';
import type { Admission } from '../admission/admission.ts';
import type { Roots } from '../crypto/key-hierarchy.ts';
import type { Database } from '../store/database.ts';
import { findHead, type HeadRow, type SeenHead } from '../store/heads.ts';
import { changedRows, type Loaded } from '../store/rows.ts';
import type { Sql, Transaction } from '../store/sql.ts';
import { findTenant, type TenantRow } from '../store/tenants.ts';
import type { Clock } from './clock.ts';
import { checkedHead, openTenant } from './integrity.ts';
import { Remembered } from './remembered.ts';
import { SharedRead } from './shared-read.ts';
import { TenantState } from './tenant-state.ts';
import { TenantView } from './tenant-view.ts';
import { Timelines } from './timelines.ts';
import { Tokens } from './tokens.ts';

/**
 * The maximum number of changed rows for which cached rows are kept. If more rows of a tenant have changed, all cached
 * rows of the tenant are dropped.
 */
const mostChanged = 1_000;

interface TenantRead {
  readonly startedAt: number;
  /** The data of the tenant in this replica when the read began. */
  readonly before: TenantState | undefined;
  readonly tenant: Loaded<TenantRow>;
  readonly head: SeenHead;
  /** The ids of the rows that have changed since `before`. The list is cut after `mostChanged` + 1 ids. */
  readonly changed: readonly string[];
}

export class Tenants {
  readonly database: Database;
  readonly roots: Roots;
  readonly timelines = new Timelines();
  readonly remembered: Remembered;
  readonly tokens: Tokens;
  readonly turns: Admission['turns'];
  readonly #clock: Clock;
  readonly #reloads = new Map<string, SharedRead<TenantView | undefined>>();

  constructor(
    database: Database,
    roots: Roots,
    clock: Clock,
    admission: Admission,
    alarms: Alarms,
    remembered = new Remembered(),
  ) {
    this.database = database;
    this.roots = roots;
    this.#clock = clock;
    this.remembered = remembered;
    this.turns = admission.turns;
    this.tokens = new Tokens(this, admission, alarms);
  }

  /** Returns this replica's data of a tenant, and loads missing data. Returns undefined for an unknown tenant. */
  async view(tenantId: string): Promise<TenantView | undefined> {
    return this.remembered.views.get(tenantId) ?? (await this.reload(tenantId));
  }

  /** Reads a tenant again. Calls that arrive before the read begins share one read. */
  async reload(tenantId: string): Promise<TenantView | undefined> {
    const read = async (): Promise<TenantView | undefined> => {
      const found = await this.read(tenantId, async () => {});
      return found && this.learn(found);
    };
    const shared = this.#reloads.get(tenantId) ?? new SharedRead(read);
    this.#reloads.set(tenantId, shared);
    try {
      return await shared.run();
    } finally {
      if (shared.isIdle) this.#reloads.delete(tenantId);
    }
  }

  /**
   * Updates the data of a tenant after a successful append. The append shows that the data was current at `time`, the
   * database's time.
   */
  advanced(view: TenantView, head: HeadRow, startedAt: number, time: number): void {
    this.#noteHead(view, head, performance.now());
    view.wasCurrent(startedAt, time);
  }

  /**
   * Updates the data of a tenant after this replica has changed the tenant. Unchanged cached rows are kept. If the data
   * is no longer the data `before` the change, the next read updates the data instead.
   */
  changed(before: TenantState, head: HeadRow, subjects: readonly string[]): void {
    const { tenant_id: tenantId } = before.tenant;
    const view = this.remembered.views.get(tenantId);
    if (!view?.state.isNamed(before.name)) return;
    if (subjects.includes(tenantId)) {
      this.forget(tenantId);
      return;
    }
    this.remembered.drop(view.state, subjects);
    const { state_id, state_hash } = head;
    view.state = new TenantState({ state_id, state_name: state_hash }, view.state, view.state.epoch);
    this.#noteHead(view, head, performance.now());
  }

  /**
   * Reads a head with `find`. Every read of a head must use this function, because it also corrects the clock. If the
   * audit log no longer contains the last head that this replica knew, the replica drops its data of the tenant.
   */
  async seeHead<S extends Sql>(
    sql: S,
    tenantId: string,
    find: (sql: S, tenantId: string, knownId?: number) => Promise<SeenHead | undefined> = findHead,
  ): Promise<SeenHead | undefined> {
    const startedAt = performance.now();
    const last = this.timelines.last(tenantId);
    const head = await find(sql, tenantId, last?.id);
    if (!head) return undefined;
    this.#clock.learn(head.now, startedAt);
    if (!this.timelines.continues(tenantId, last, head)) this.forget(tenantId);
    return head;
  }

  forget(tenantId: string): void {
    const view = this.remembered.views.get(tenantId);
    this.remembered.views.delete(tenantId);
    if (view) view.gone = true;
  }

  /**
   * Reads a tenant, and calls `more` in the same snapshot. If the tenant no longer exists, the replica drops the data
   * of the tenant, and the function returns undefined.
   */
  async read(tenantId: string, more: (tx: Transaction) => Promise<void>): Promise<TenantRead | undefined> {
    const startedAt = performance.now();
    const before = this.remembered.views.get(tenantId)?.state;
    const [head, tenant, changed] = await this.database.snapshot((tx) =>
      Promise.all([
        this.seeHead(tx, tenantId),
        findTenant(tx, tenantId),
        before ? changedRows(tx, tenantId, before.name.state_id, mostChanged + 1) : [],
        more(tx),
      ]),
    );
    if (tenant && head) return { startedAt, before, tenant, head, changed };
    this.forget(tenantId);
    this.timelines.forget(tenantId);
    return undefined;
  }

  async #readHead(view: TenantView): Promise<void> {
    const { tenant_id: tenantId } = view.state.tenant;
    const startedAt = performance.now();
    const head = await this.database.run((sql) => this.seeHead(sql, tenantId), 2_000);
    if (head && !view.gone && view.state.isNamed(head)) {
      checkedHead(view.state.secrets, tenantId, head);
      if (startedAt >= view.readAt) this.#noteHead(view, head, startedAt);
      view.wasCurrent(startedAt, head.now);
    } else if ((await this.reload(tenantId)) !== view) {
      view.gone = true;
    }
  }

  /** Updates the replica's data of a tenant with the result of a database read. Returns the updated data. */
  learn(read: TenantRead): TenantView {
    const { startedAt, head, tenant } = read;
    const { tenant_id: tenantId } = tenant;
    const known = this.remembered.views.get(tenantId);
    if (known && startedAt < known.readAt) return known;
    const state = known?.state.isNamed(head) ? known.state : this.#nextState(known?.state, read);
    checkedHead(state.secrets, tenantId, head);
    const view = known ?? new TenantView(state, head, startedAt, (one) => this.#readHead(one));
    if (view.state !== state) {
      view.state = state;
      view.head = head;
    }
    this.remembered.views.set(tenantId, view);
    this.#noteHead(view, head, startedAt);
    view.wasCurrent(startedAt, head.now);
    return view;
  }

  /**
   * Creates the data of a tenant from a database read. Keeps cached rows that have not changed since the previous read.
   */
  #nextState(known: TenantState | undefined, { before, tenant, head, changed }: TenantRead): TenantState {
    const opened = openTenant(this.roots, tenant);
    if (!known || known !== before || changed.length > mostChanged) return new TenantState(head, opened);
    this.remembered.drop(known, changed);
    return new TenantState(head, opened, known.epoch);
  }

  #noteHead(view: TenantView, head: HeadRow, readAt: number): void {
    if (head.id < view.head.id) return;
    view.head = head;
    view.readAt = Math.max(view.readAt, readAt);
    this.timelines.note(view.state.tenant.tenant_id, head);
  }
}
