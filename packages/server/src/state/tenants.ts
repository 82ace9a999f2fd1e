import type { Alarms } from '../base/alarms.ts';
import type { Admission } from '../admission/admission.ts';
import type { Roots } from '../crypto/key-hierarchy.ts';
import type { Database } from '../store/database.ts';
import { Tampered } from '../base/refusal.ts';
import { SharedReads } from '../base/shared-read.ts';
import { findHead, headTable, type HeadRow, type SeenHead } from '../store/heads.ts';
import { changedRows } from '../store/rows.ts';
import type { Sql, Transaction } from '../store/sql.ts';
import { findTenant } from '../store/tenants.ts';
import { traced } from '../base/tracing.ts';
import type { Clock } from './clock.ts';
import type { KeyHosts } from './key-hosts.ts';
import { KeySets } from './key-sets.ts';
import { checkedHead } from './heads.ts';
import { openTenant } from './integrity.ts';
import { Remembered, Timelines } from './remembered.ts';
import { TenantState, TenantView } from './tenant-view.ts';
import { SignIns } from './sign-ins.ts';
import { Tokens } from './tokens.ts';

const mostChanged = 1_000;

type TenantRead = NonNullable<Awaited<ReturnType<Tenants['read']>>>;

export class Tenants {
  readonly database: Database;
  readonly roots: Roots;
  readonly timelines = new Timelines();
  readonly remembered = new Remembered();
  readonly tokens: Tokens;
  readonly signIns: SignIns;
  readonly turns: Admission['turns'];
  readonly #clock: Clock;
  readonly #reloads = new SharedReads<TenantView | undefined>();

  constructor(
    database: Database,
    roots: Roots,
    clock: Clock,
    admission: Admission,
    alarms: Alarms,
    keyHosts: KeyHosts,
  ) {
    this.database = database;
    this.roots = roots;
    this.#clock = clock;
    this.turns = admission.turns;
    this.tokens = new Tokens(this, admission, alarms);
    const keySets = new KeySets(database, keyHosts, admission, clock, alarms);
    this.signIns = new SignIns(this, admission, clock, keySets);
    // After tampering is found, the tenant's rows leave the cache, so that they no longer grant access.
    alarms.distrust = (tenantId) => this.forget(tenantId);
  }

  async view(tenantId: string): Promise<TenantView | undefined> {
    return this.remembered.views.get(tenantId) ?? (await this.reload(tenantId));
  }

  /** Reads the tenant from the database, or returns undefined if it does not exist. */
  async reload(tenantId: string): Promise<TenantView | undefined> {
    const read = async (): Promise<TenantView | undefined> => {
      const found = await this.read(tenantId, async () => {});
      return found && this.learn(found);
    };
    return this.#reloads.run(tenantId, () => traced('tenant.reload', read));
  }

  advanced(view: TenantView, head: HeadRow, startedAt: number, time: number): void {
    this.#noteHead(view, head, performance.now());
    view.wasCurrent(startedAt, time);
  }

  /** Takes over a change of a row that this replica has made. */
  changed(before: TenantState, head: HeadRow, rowId: string): void {
    const { tenant_id: tenantId } = before.tenant;
    const view = this.remembered.views.get(tenantId);
    if (!view?.state.isNamed(before.name)) return;
    if (rowId === tenantId) {
      this.forget(tenantId);
      return;
    }
    this.remembered.drop(view.state, [rowId]);
    view.state = new TenantState(head, view.state, view.state);
    this.#noteHead(view, head, performance.now());
  }

  /**
   * Every read of the head of an audit log must use this method, because it corrects the clock and detects lost
   * entries.
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

  async read(tenantId: string, more: (tx: Transaction) => Promise<void>) {
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
    if (tenant) throw new Tampered(headTable.name, tenantId, tenantId);
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

  #nextState(known: TenantState | undefined, { before, tenant, head, changed }: TenantRead): TenantState {
    const opened = openTenant(this.roots, tenant);
    if (!known || known !== before || changed.length > mostChanged) return new TenantState(head, opened);
    this.remembered.drop(known, changed);
    return new TenantState(head, opened, known);
  }

  #noteHead(view: TenantView, head: HeadRow, readAt: number): void {
    if (head.id < view.head.id) return;
    view.head = head;
    view.readAt = Math.max(view.readAt, readAt);
    this.timelines.note(view.state.tenant.tenant_id, head);
  }
}
